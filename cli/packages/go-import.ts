import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the path with which programs import the Go SDK in a folder. It is the module path of its
 * `go.mod`, and then the subfolder with `pulumi-plugin.json`, if there is one. Returns undefined for
 * a folder without a module.
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
