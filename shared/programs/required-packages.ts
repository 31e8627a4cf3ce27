import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../values/parse-json.ts'

/** The plugin requirement of an installed package. */
export interface RequiredPackage {
  readonly pkg: string
  /** The version of the plugin. */
  readonly version: string
  readonly downloadUrl: string
  /**
   * Parameters with which `plugin` serves the package. Their `version` is that of the package, and
   * their `value` is base64. Absent when the package is the plugin's own.
   */
  readonly parameters?: {
    readonly plugin: string
    readonly version: string
    readonly value: string
  }
  /** Whether the plugin serves the package through an extension, besides its own package. */
  readonly isExtension: boolean
}

const parametersForm = z.looseObject({
  name: z.string(),
  version: z.string().default(''),
  value: z.string().default(''),
})

/** The plugin description in a package of any language. */
export const pluginForm = z.looseObject({
  resource: z.boolean().default(false),
  name: z.string().default(''),
  version: z.string().default(''),
  server: z.string().default(''),
  parameterization: parametersForm.optional(),
  extensionParameterization: parametersForm.optional(),
})

const packageForm = z.looseObject({
  name: z.string().default(''),
  version: z.string().default(''),
  pulumi: pluginForm.optional(),
})

/**
 * Returns the plugin requirement of a package. Returns undefined if the package needs no plugin, or
 * if neither `plugin` nor `defaults` has a name.
 */
export function toRequirement(
  plugin: z.infer<typeof pluginForm> | undefined,
  defaults: { readonly name: string; readonly version: string },
): RequiredPackage | undefined {
  if (plugin?.resource !== true) return undefined
  const name = plugin.name === '' ? defaults.name : plugin.name
  if (name === '') return undefined
  const { parameterization, extensionParameterization: extension, server } = plugin
  const version = plugin.version === '' ? defaults.version : plugin.version
  return {
    pkg: parameterization?.name ?? name,
    version: version.replace(/^v/, ''),
    downloadUrl: server,
    ...(parameterization === undefined
      ? {}
      : {
          parameters: {
            plugin: name,
            version: parameterization.version,
            value: parameterization.value,
          },
        }),
    isExtension: extension !== undefined,
  }
}

/** Returns each requirement once. */
export function deduplicatePackages(
  requirements: Iterable<RequiredPackage>,
): readonly RequiredPackage[] {
  return [
    ...new Map(
      [...requirements].map(requirement => [JSON.stringify(requirement), requirement]),
    ).values(),
  ]
}

/** Maximum depth to which nested dependencies are searched. */
const depthMax = 8

/**
 * Returns the plugin requirements of the installed packages of a Node program, each once. Source:
 * `getPackagesFromDir` in sdk/nodejs/cmd/pulumi-language-nodejs/main.go of Pulumi 3.260.0, and
 * docs/spec/providers.md#default-providers.
 */
export function findRequiredNodePackages(directory: string): readonly RequiredPackage[] {
  const files = listPackageFiles(join(directory, 'node_modules'), depthMax)
  return deduplicatePackages(files.flatMap(file => readPackageRequirement(file) ?? []))
}

function listPackageFiles(modules: string, depth: number): readonly string[] {
  if (depth === 0) return []
  return listFolders(modules).flatMap(folder => {
    const packageFolders = folder.startsWith('@')
      ? listFolders(join(modules, folder)).map(name => join(folder, name))
      : [folder]
    return packageFolders.flatMap(name => [
      join(modules, name, 'package.json'),
      ...listPackageFiles(join(modules, name, 'node_modules'), depth - 1),
    ])
  })
}

function listFolders(path: string): readonly string[] {
  try {
    return readdirSync(path).filter(name => !name.startsWith('.'))
  } catch {
    return []
  }
}

function readPackageRequirement(file: string): RequiredPackage | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  // Most package files do not mention Pulumi. They are not parsed, to save time.
  if (!text.includes('"pulumi"')) return undefined
  const parsed = packageForm.safeParse(parseJson(text))
  if (!parsed.success) return undefined
  const { name, version, pulumi } = parsed.data
  const shortName = name.startsWith('@pulumi/') ? name.slice('@pulumi/'.length) : ''
  return toRequirement(pulumi, { name: shortName, version })
}
