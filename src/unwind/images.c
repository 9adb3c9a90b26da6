/* SPDX-License-Identifier: MIT */
#include "unwind/images.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbol/elf/loads.h"
#include "symbol/find_file.h"
#include "unwind/code_files.h"
#include "unwind/jit_image.h"
#include "unwind/table.h"

/* .eh_frame, .debug_frame of the file itself, of its debug file and of its .gnu_debugdata, .ARM.exidx and .sframe. */
enum { TABLES_MOST = 6 };

struct unwind_image {
	pthread_mutex_t lock;        /* held while the file is opened, and of jit and reads */
	bool loaded;                 /* atomic; the members below but jit and reads stay as they are from then on */
	struct elf_file file;        /* the one that ran; not open any more */
	bool has_file;
	struct code_files *files;    /* borrowed */
	struct code_file code;       /* of a file that does not lie in memory */
	struct elf_loads loads;
	struct unwind_table tables[TABLES_MOST];
	size_t nr_tables;
	struct jit_image jit;        /* of a jitdump, which has no other tables */
	bool keeps_reads;
	struct unwind_reads reads;   /* of the file; the lock is held */
};

struct unwind_images {
	struct symbols *symbols;
	pthread_rwlock_t lock;       /* of the list */
	struct code_files *files;
	VEC(struct unwind_image *) list;  /* by index of the binary */
	bool keep_reads;
};

struct unwind_images *unwind_images_new(struct symbols *symbols)
{
	struct unwind_images *images = calloc(1, sizeof(*images));

	if (!images)
		return NULL;
	images->symbols = symbols;
	images->files = code_files_new();
	if (!images->files) {
		free(images);
		return NULL;
	}
	pthread_rwlock_init(&images->lock, NULL);
	return images;
}

static void free_image(struct unwind_image *image)
{
	for (size_t i = 0; i < image->nr_tables; i++)
		unwind_table_free(&image->tables[i]);
	jit_image_close(&image->jit);
	if (image->has_file)
		elf_file_close(&image->file);
	code_file_free(&image->code);
	vec_free(&image->reads);
	pthread_mutex_destroy(&image->lock);
	free(image);
}

void unwind_images_free(struct unwind_images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->list.n; i++)
		if (images->list.at[i])
			free_image(images->list.at[i]);
	vec_free(&images->list);
	code_files_free(images->files);
	pthread_rwlock_destroy(&images->lock);
	free(images);
}

static void add_table(struct unwind_image *image, const struct elf_file *f, const char *name, bool closes)
{
	struct unwind_table *t = &image->tables[image->nr_tables];

	if (!unwind_table_open(t, f, name))
		return;
	if (closes && unwind_table_own(t) < 0)
		unwind_table_free(t);
	else
		image->nr_tables++;
}

/* The CFI that is not in the file that ran. */
static void add_debug_tables(struct unwind_image *image, const struct find_paths *p, const struct binary *b,
			     const struct found *running)
{
	struct found debug;
	struct elf_file inner;

	if (find_local_debug_file(&debug, p, b, running) == 0 || find_bundled_debug_file(&debug, p, b) == 0) {
		add_table(image, &debug.elf, ".debug_frame", true);
		elf_file_close(&debug.elf);
	}
	if (running && elf_file_open_debugdata(&inner, &running->elf, NULL) == 0) {
		add_table(image, &inner, ".debug_frame", true);
		elf_file_close(&inner);
	}
}

static void load(struct unwind_image *image, const struct find_paths *p, const struct binary *b)
{
	struct buf reason = BUF_MEMORY;
	struct found running;
	int r = -SONDE_MISSING;

	if (b->kind == BINARY_FILE)
		r = find_running_file(&running, p, b, b->name, &reason);
	else if (b->kind == BINARY_VDSO)
		r = find_vdso(&running, p, b, &reason);
	buf_free(&reason);
	if (r < 0)
		return;
	image->file = running.elf;
	image->has_file = true;
	elf_loads_read(&image->loads, &image->file);
	if (unwind_table_open_in_file(&image->tables[image->nr_tables], &image->file, image->files, &image->code))
		image->nr_tables++;
	else
		add_table(image, &image->file, ".eh_frame", false);
	add_table(image, &image->file, ".debug_frame", false);
	if (b->kind == BINARY_FILE)
		add_debug_tables(image, p, b, &running);
	if (unwind_table_open_exidx(&image->tables[image->nr_tables], &image->file))
		image->nr_tables++;
	if (unwind_table_open_sframe(&image->tables[image->nr_tables], &image->file))
		image->nr_tables++;
	if (image->file.fd < 0)
		return;
	/*
	 * A section that stays in the file is read as its code is, the others are in memory. Without memory for the
	 * path nothing is read.
	 */
	elf_cntl(image->file.elf, ELF_C_FDDONE);
	code_files_add(image->files, &image->code, running.path, image->file.fd);
	image->file.fd = -1;
}

static struct unwind_image *new_image(const struct unwind_images *images)
{
	struct unwind_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->files = images->files;
	image->keeps_reads = images->keep_reads;
	pthread_mutex_init(&image->lock, NULL);
	return image;
}

static struct unwind_image *add_image(struct unwind_images *images, uint32_t index)
{
	struct unwind_image *image = NULL;

	pthread_rwlock_wrlock(&images->lock);
	while (images->list.n <= index)
		if (vec_push(&images->list, NULL) < 0)
			goto unlock;
	image = images->list.at[index];
	if (!image)
		image = images->list.at[index] = new_image(images);
unlock:
	pthread_rwlock_unlock(&images->lock);
	return image;
}

/* Every frame asks: threads wait for each other only where something is new. */
struct unwind_image *unwind_image_get(struct unwind_images *images, const struct binary *b)
{
	struct unwind_image *image;

	pthread_rwlock_rdlock(&images->lock);
	image = b->index < images->list.n ? images->list.at[b->index] : NULL;
	pthread_rwlock_unlock(&images->lock);
	if (!image)
		image = add_image(images, b->index);
	if (!image || __atomic_load_n(&image->loaded, __ATOMIC_ACQUIRE))
		return image;
	/* a large file takes time: threads that ask for other binaries do not wait for it */
	pthread_mutex_lock(&image->lock);
	if (!image->loaded && b->kind == BINARY_JITDUMP)
		jit_image_open(&image->jit, symbols_jitdump(images->symbols, b));
	else if (!image->loaded)
		load(image, symbols_paths(images->symbols), b);
	__atomic_store_n(&image->loaded, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&image->lock);
	return image;
}

struct unwind_found unwind_image_find(struct unwind_image *image, uint64_t offset)
{
	struct unwind_found found = { 0 };
	uint64_t addr, start, end;

	if (image && image->jit.dump) {
		pthread_mutex_lock(&image->lock);
		jit_image_find(&image->jit, offset, &found.rule, &found.section, &found.start, &found.end);
		pthread_mutex_unlock(&image->lock);
		return found;
	}
	if (!image || !elf_loads_address(&image->loads, offset, &addr))
		return found;
	for (size_t i = 0; i < image->nr_tables && !found.rule; i++)
		if (unwind_table_find(&image->tables[i], addr, &found.rule, &found.section, &start, &end)) {
			found.start = start - addr + offset;
			found.end = end - addr + offset;
		}
	return found;
}

/* Out of memory: the piece is not known. */
static void note_read(struct unwind_image *image, uint64_t offset, size_t size)
{
	pthread_mutex_lock(&image->lock);
	for (uint64_t i = offset / UNWIND_READ_BYTES; i <= (offset + size - 1) / UNWIND_READ_BYTES; i++)
		if (!image->reads.n || image->reads.at[image->reads.n - 1] != i)
			(void)vec_push(&image->reads, i);
	pthread_mutex_unlock(&image->lock);
}

void unwind_images_keep_reads(struct unwind_images *images)
{
	images->keep_reads = true;
}

const struct unwind_reads *unwind_images_reads(const struct unwind_images *images, const struct binary *b)
{
	const struct unwind_image *image = b->index < images->list.n ? images->list.at[b->index] : NULL;

	return image && image->has_file ? &image->reads : NULL;
}

bool unwind_image_read(struct unwind_image *image, uint64_t offset, void *out, size_t size)
{
	if (image && image->jit.dump)
		return jitdump_bytes(image->jit.dump, offset, out, size);
	if (!image || !image->has_file)
		return false;
	if (image->keeps_reads && size && offset <= UINT64_MAX - size)
		note_read(image, offset, size);
	if (!image->file.memory)
		return image->code.path && code_files_read(image->files, &image->code, offset, out, size);
	return elf_file_read(&image->file, offset, out, size);
}

/* More than any C library has before its first call, and less than to the next function that anybody calls. */
enum { ENTRY_BYTES = 64 };

bool unwind_image_is_entry(const struct unwind_image *image, uint64_t offset)
{
	uint64_t addr, entry;

	if (!image || !image->has_file || !elf_loads_address(&image->loads, offset, &addr))
		return false;
	entry = image->file.ehdr.e_entry;
	if (image->file.ehdr.e_machine == EM_ARM)
		entry &= ~UINT64_C(1);   /* says that it is Thumb */
	return entry && addr >= entry && addr - entry < ENTRY_BYTES;
}

bool unwind_image_has_tables(const struct unwind_image *image)
{
	return image && (image->nr_tables > 0 || image->jit.dump);
}

bool unwind_image_is_of(const struct unwind_image *image, uint16_t machine)
{
	/* Python 3.13 leaves the machine of a dump 0: code that ran is of the machine that ran it */
	if (image && image->jit.dump)
		return image->jit.dump->machine == machine || !image->jit.dump->machine;
	return image && image->has_file && image->file.ehdr.e_machine == machine;
}
