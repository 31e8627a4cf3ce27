import type { FuzzTarget } from './fuzz-target.ts'

/** Loads the only export of `targets/<name>.ts`. The corpus has a folder of the same name. */
export async function loadTarget(name: string): Promise<FuzzTarget> {
  const module = (await import(`./targets/${name}.ts`)) as Readonly<Record<string, FuzzTarget>>
  const [target] = Object.values(module)
  if (target === undefined) throw new TypeError(`targets/${name}.ts exports no decoder`)
  return target
}
