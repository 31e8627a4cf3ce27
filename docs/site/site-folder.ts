/** The folder of the built site, and the settings of its commands. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** The folder into which the generator builds the site. */
export const siteFolder = resolve(import.meta.dirname, '../../.cache/docs-site')

/** The arguments of the commands that check and serve the site. */
export interface SiteArguments {
  /** The path of the site at its host, with a slash at both ends. */
  readonly base: string
  readonly port: number
}

/** Parses the arguments of a command. Throws an error of Node for an unknown argument. */
export function parseSiteArguments(args: readonly string[]): SiteArguments {
  const { values } = parseArgs({
    args: [...args],
    options: { base: { type: 'string' }, port: { type: 'string' } },
  })
  return { base: values.base ?? '/', port: Number(values.port ?? 4173) }
}
