import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { compareVersions } from '../names/version.ts'

/** What an installed package says of the plugin that it needs. */
export interface RequiredPackage {
  readonly pkg: string
  readonly version: string
  readonly downloadUrl: string
}

/** What a package of any language says of its plugin. */
export const pluginForm = z.looseObject({
  resource: z.boolean().default(false),
  name: z.string().default(''),
  version: z.string().default(''),
  server: z.string().default(''),
  parameterization: z.unknown().optional(),
})

const packageForm = z.looseObject({
  name: z.string().default(''),
  version: z.string().default(''),
  pulumi: pluginForm.optional(),
})

/** By package, the highest version that any asks for. */
export function highestOf(
  required: Iterable<RequiredPackage>,
): ReadonlyMap<string, RequiredPackage> {
  const found = new Map<string, RequiredPackage>()
  for (const one of required) {
    const known = found.get(one.pkg)
    if (known === undefined || compareVersions(known.version, one.version) < 0)
      found.set(one.pkg, one)
  }
  return found
}

/** Deepest nesting of dependencies that is looked into. */
const depthMax = 8

/**
 * The plugins that the packages installed for a Node program need: by package, the highest version.
 * Packages with parameters are left out. Source: Pulumi's Node language host, `engine.md` 4.3.
 */
export function requiredPackages(directory: string): ReadonlyMap<string, RequiredPackage> {
  const files = packageFiles(join(directory, 'node_modules'), depthMax)
  return highestOf(files.flatMap(file => readPackage(file) ?? []))
}

function packageFiles(modules: string, depth: number): readonly string[] {
  if (depth === 0) return []
  return foldersIn(modules).flatMap(folder => {
    const below = folder.startsWith('@')
      ? foldersIn(join(modules, folder)).map(name => join(folder, name))
      : [folder]
    return below.flatMap(name => [
      join(modules, name, 'package.json'),
      ...packageFiles(join(modules, name, 'node_modules'), depth - 1),
    ])
  })
}

function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path).filter(name => !name.startsWith('.'))
  } catch {
    return []
  }
}

function readPackage(file: string): RequiredPackage | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  // Most packages have nothing to do with plugins: they are not worth a full reading.
  if (!text.includes('"pulumi"')) return undefined
  const parsed = packageForm.safeParse(parseJson(text))
  const { pulumi } = parsed.data ?? {}
  if (!parsed.success || pulumi?.resource !== true || pulumi.parameterization !== undefined)
    return undefined
  const { name } = parsed.data
  const pkg =
    pulumi.name === ''
      ? name.startsWith('@pulumi/')
        ? name.slice('@pulumi/'.length)
        : ''
      : pulumi.name
  if (pkg === '') return undefined
  const version = (pulumi.version === '' ? parsed.data.version : pulumi.version).replace(/^v/, '')
  return { pkg, version, downloadUrl: pulumi.server }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
