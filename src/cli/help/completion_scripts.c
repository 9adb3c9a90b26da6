/* SPDX-License-Identifier: MIT */
/* completion_scripts.c - scripts for shells: they ask `sonde help --complete` when a key asks for completion */
#include "cli/help/complete.h"

#include <string.h>

/* Words are split at blanks only: bash splits them at ':' and '=' too, but replaces only the part after those. */
static const char bash_script[] =
	"# bash completion for sonde\n"
	"_sonde()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} kind prefix cur kept word i\n"
	"\tlocal -a words lines\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line == *[[:blank:]] ]] && words+=('')\n"
	"\tmapfile -t lines < <(\"${words[0]/#\\~/$HOME}\" help --complete -- \"${words[@]:1}\" 2>/dev/null)\n"
	"\tcur=${words[${#words[@]}-1]} kind=${lines[0]%% *} prefix=${lines[0]#* }\n"
	"\tkept=${cur%\"${cur##*[\"${COMP_WORDBREAKS//[^:=]/}\"]}\"}\n"
	"\t[[ $COMP_WORDBREAKS == *[:=]* ]] || kept=\n"
	"\tCOMPREPLY=()\n"
	"\tcase $kind in\n"
	"\twords | list)\n"
	"\t\t[ \"$kind\" = words ] || compopt -o nospace\n"
	"\t\tfor ((i = 1; i < ${#lines[@]}; i++)); do\n"
	"\t\t\tword=${lines[i]%%$'\\t'*}\n"
	"\t\t\tCOMPREPLY+=(\"${word#\"$kept\"}\")\n"
	"\t\tdone\n"
	"\t\t;;\n"
	"\tfiles | directories | programs)\n"
	"\t\tcase $kind in files) i=-f ;; directories) i=-d ;; programs) i=-c ;; esac\n"
	"\t\twhile read -r word; do\n"
	"\t\t\tword=$prefix$word\n"
	"\t\t\tCOMPREPLY+=(\"${word#\"$kept\"}\")\n"
	"\t\tdone < <(compgen $i -- \"${cur#\"$prefix\"}\")\n"
	"\t\tcompopt -o filenames\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"complete -F _sonde sonde\n";

static const char zsh_script[] =
	"#compdef sonde\n"
	"# zsh completion for sonde\n"
	"_sonde()\n"
	"{\n"
	"\tlocal kind prefix line\n"
	"\tlocal -a lines described space\n"
	"\tlines=(\"${(@f)$(\"${(Q)words[1]/#\\~/$HOME}\" help --complete -- \"${(@Q)words[2,CURRENT-1]}\" "
	"\"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
	"\tkind=${lines[1]%% *} prefix=${lines[1]#* }\n"
	"\tcase $kind in\n"
	"\twords | list)\n"
	"\t\tfor line in \"${(@)lines[2,-1]}\"; do\n"
	"\t\t\tdescribed+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
	"\t\tdone\n"
	"\t\t[[ $kind == words ]] || space=(-S '')\n"
	"\t\t_describe sonde described \"${space[@]}\"\n"
	"\t\t;;\n"
	"\tfiles) compset -P \"${(b)prefix}\"; _files ;;\n"
	"\tdirectories) compset -P \"${(b)prefix}\"; _files -/ ;;\n"
	"\tprograms) _command_names -e ;;\n"
	"\tesac\n"
	"}\n"
	"if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
	"\t_sonde \"$@\"\n"
	"else\n"
	"\tcompdef _sonde sonde\n"
	"fi\n";

static const char fish_script[] =
	"# fish completion for sonde\n"
	"function __sonde_complete\n"
	"\tset -l words (commandline -opc) (commandline -ct)\n"
	"\tset -l lines ($words[1] help --complete -- $words[2..-1] 2>/dev/null)\n"
	"\tset -l first (string split -m 1 ' ' -- $lines[1])\n"
	"\tset -l typed (string sub -s (math (string length -- \"$first[2]\") + 1) -- $words[-1])\n"
	"\tswitch $first[1]\n"
	"\t\tcase words list\n"
	"\t\t\tprintf '%s\\n' $lines[2..-1]\n"
	"\t\tcase files\n"
	"\t\t\tfor path in (__fish_complete_path \"$typed\")\n"
	"\t\t\t\tprintf '%s%s\\n' \"$first[2]\" $path\n"
	"\t\t\tend\n"
	"\t\tcase directories\n"
	"\t\t\tfor path in (__fish_complete_directories \"$typed\")\n"
	"\t\t\t\tprintf '%s%s\\n' \"$first[2]\" $path\n"
	"\t\t\tend\n"
	"\t\tcase programs\n"
	"\t\t\t__fish_complete_subcommand --commandline $words[-1]\n"
	"\tend\n"
	"end\n"
	"complete -c sonde -f -a '(__sonde_complete)'\n";

const char *const completion_shells[] = { "bash", "zsh", "fish", NULL };

const char *completion_script(const char *shell)
{
	static const char *const scripts[] = { bash_script, zsh_script, fish_script };

	for (int i = 0; completion_shells[i]; i++)
		if (strcmp(completion_shells[i], shell) == 0)
			return scripts[i];
	return NULL;
}
