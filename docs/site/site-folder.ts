/** The folder of the built site, its files, and the settings of its commands. */
import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** The folder into which the generator builds the site. */
export const siteFolder = resolve(import.meta.dirname, '../../.cache/docs-site')

/** The arguments of the commands that check and serve the site. */
export interface SiteArguments {
  /** The path of the site at its host, with a slash at both ends. */
  readonly base: string
  readonly port: number
}

/** Returns the paths of all files of a site, relative to its folder. Folders are not included. */
export function listSiteFiles(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  return new Set(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))))
}

/** Parses the arguments of a command. Throws an error of Node for an unknown argument. */
export function parseSiteArguments(args: readonly string[]): SiteArguments {
  const { values } = parseArgs({
    args: [...args],
    options: { base: { type: 'string' }, port: { type: 'string' } },
  })
  return { base: values.base ?? '/', port: Number(values.port ?? 4173) }
}
