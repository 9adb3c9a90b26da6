// SPDX-License-Identifier: MIT
// go_profiles.go - makes go_cpu.pb.gz and go_heap.pb.gz: go run go_profiles.go

//go:build ignore

package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
)

type node struct {
	left, right *node
	value       [4]int
}

var kept []*node

//go:noinline
func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: grow(depth - 1), right: grow(depth - 1)}
}

//go:noinline
func sortNumbers(n int) int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i * 7919 % 10007
	}
	sort.Ints(numbers)
	return numbers[n/2]
}

func main() {
	runtime.MemProfileRate = 1
	cpu, _ := os.Create("go_cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	for i := 0; i < 60; i++ {
		sortNumbers(100000)
	}
	pprof.StopCPUProfile()
	cpu.Close()
	for i := 0; i < 3; i++ {
		kept = append(kept, grow(6))
	}
	runtime.GC()
	heap, _ := os.Create("go_heap.pb.gz")
	pprof.WriteHeapProfile(heap)
	heap.Close()
}
