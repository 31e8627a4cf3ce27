import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the path with which programs in Go import the SDK in a folder. It begins with the path of
 * the module that replaces the SDK. Returns undefined for a folder without a module.
 */
export function findGoImport(folder: string): string | undefined {
  const manifest = join(folder, 'go.mod')
  if (!existsSync(manifest)) return undefined
  const [, module] = /^module\s+(\S+)/m.exec(readFileSync(manifest, 'utf8')) ?? []
  if (module === undefined) return undefined
  const isPackage = (path: string): boolean => existsSync(join(folder, path, 'pulumi-plugin.json'))
  const subfolder = isPackage('') ? undefined : readdirSync(folder).find(isPackage)
  return subfolder === undefined ? module : `${module}/${subfolder}`
}
