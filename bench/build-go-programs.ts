import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce } from '../test/build-once.ts'
import { repositoryRoot } from './engine.ts'

const sources = join(repositoryRoot, 'bench', 'go')
const sourceFiles = ['go.mod', 'go.sum', 'program/main.go', 'null-provider/main.go']

/** The built Go programs of the benchmarks. */
export interface GoPrograms {
  /** The program that registers resources. */
  readonly program: string
  /** The folder of the provider `pulumi-resource-null`. */
  readonly providerFolder: string
}

/**
 * Builds the Go program and the provider of the benchmarks into `.cache`. Builds again only after
 * a change of the sources. Throws when the sources do not compile.
 */
export function buildGoPrograms(): GoPrograms {
  const hash = createHash('sha256')
  for (const name of sourceFiles) hash.update(`${name}\n`).update(readFileSync(join(sources, name)))
  const folder = join(repositoryRoot, '.cache', 'bench-go', hash.digest('hex').slice(0, 16))
  buildOnce(folder, partialFolder => {
    for (const [output, source] of [
      ['program', './program'],
      ['pulumi-resource-null', './null-provider'],
    ] as const)
      execFileSync('go', ['build', '-trimpath', '-o', join(partialFolder, output), source], {
        cwd: sources,
      })
  })
  return { program: join(folder, 'program'), providerFolder: folder }
}
