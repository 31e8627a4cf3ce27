/** Time in ms after which the modules of most commands are loaded. */
const loadMs = 1_000

/**
 * Limits the garbage of this process: the heap may grow by 60 % between two collections. By default
 * it may grow to four times its size, and a deployment then needs twice the memory. With the
 * changed option, V8 rejects the compiled code of Node's own modules. So the limit begins when the
 * modules are loaded, and the launcher does not set it. Source: docs/benchmarks.md.
 */
export function limitHeapGrowth(): void {
  setTimeout(() => {
    void import('node:v8').then(v8 => v8.setFlagsFromString('--heap-growing-percent=60'))
  }, loadMs).unref()
}
