import type { FuzzTarget } from './fuzz-target.ts'

/** Loads the decoder of a folder of the corpus. Its file has the same name, and exports only it. */
export async function loadTarget(name: string): Promise<FuzzTarget> {
  const module = (await import(`./targets/${name}.ts`)) as Readonly<Record<string, FuzzTarget>>
  const [target] = Object.values(module)
  if (target === undefined) throw new TypeError(`targets/${name}.ts exports no decoder`)
  return target
}
