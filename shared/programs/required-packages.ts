import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** What an installed package says of the plugin that it needs. */
export interface RequiredPackage {
  readonly pkg: string
  /** Of the plugin. */
  readonly version: string
  readonly downloadUrl: string
  /** How the plugin becomes the package, where it is not the package itself; base64. */
  readonly parameters?: {
    readonly plugin: string
    readonly version: string
    readonly value: string
  }
  /** Whether the package only extends the plugin. */
  readonly isExtension: boolean
}

const parametersForm = z.looseObject({
  name: z.string(),
  version: z.string().default(''),
  value: z.string().default(''),
})

const packageForm = z.looseObject({
  name: z.string().default(''),
  version: z.string().default(''),
  pulumi: z
    .looseObject({
      resource: z.boolean().default(false),
      name: z.string().default(''),
      version: z.string().default(''),
      server: z.string().default(''),
      parameterization: parametersForm.optional(),
      extensionParameterization: parametersForm.optional(),
    })
    .optional(),
})

/** Deepest nesting of dependencies that is looked into. */
const depthMax = 8

/**
 * The plugins that the packages installed for a Node program need, each version once. Source:
 * Pulumi's Node language host, `engine.md` 4.3.
 */
export function requiredPackages(directory: string): readonly RequiredPackage[] {
  const found = new Map<string, RequiredPackage>()
  for (const file of packageFiles(join(directory, 'node_modules'), depthMax)) {
    const required = readPackage(file)
    if (required !== undefined) found.set(JSON.stringify(required), required)
  }
  return [...found.values()]
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
  if (!parsed.success || pulumi?.resource !== true) return undefined
  const { name } = parsed.data
  const plugin =
    pulumi.name === ''
      ? name.startsWith('@pulumi/')
        ? name.slice('@pulumi/'.length)
        : ''
      : pulumi.name
  if (plugin === '') return undefined
  const version = (pulumi.version === '' ? parsed.data.version : pulumi.version).replace(/^v/, '')
  const { parameterization: made, extensionParameterization: extension, server } = pulumi
  return {
    pkg: made?.name ?? plugin,
    version,
    downloadUrl: server,
    ...(made === undefined
      ? {}
      : { parameters: { plugin, version: made.version, value: made.value } }),
    isExtension: extension !== undefined,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
