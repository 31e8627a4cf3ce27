import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildOnce } from '../build-once.ts'

const sources = join(import.meta.dirname, 'provider')

/** The programs of the test provider: protocol 6, and protocol 5 under the other name. */
const programs = ['terraform-provider-tfgold', 'terraform-provider-tfgold5'] as const

/**
 * Builds the test provider with Go, once per contents of its sources, into `.cache`. Returns the
 * folder with both programs. Throws when the sources do not compile.
 */
export function buildTestProvider(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(sources)
    .filter(file => /\.go$|^go\.(mod|sum)$/.test(file))
    .sort())
    hash.update(`${name}\n`).update(readFileSync(join(sources, name)))
  const base = resolve(import.meta.dirname, '../../.cache/tfgolden')
  const folder = join(base, hash.digest('hex').slice(0, 16))
  return buildOnce(folder, partialFolder => {
    const [program, otherProgram] = programs.map(name => join(partialFolder, name))
    execFileSync('go', ['build', '-trimpath', '-o', program ?? '', '.'], { cwd: sources })
    copyFileSync(program ?? '', otherProgram ?? '')
  })
}
