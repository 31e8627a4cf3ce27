import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce } from '../../test/build-once.ts'
import { repositoryRoot } from '../engine.ts'
import { listProgramFiles, type PackageProgram } from './package-programs.ts'

/**
 * Installs a package and the SDK from the registry, without their install scripts, and writes the
 * files of the program. Returns its folder, which is below `.cache` and kept for the next run.
 * Throws when npm fails.
 */
export function installPackageProgram(program: PackageProgram, sdkVersion: string): string {
  const files = listProgramFiles(program, sdkVersion)
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)
  const folder = join(repositoryRoot, '.cache', 'bench-packages', `${program.provider}-${digest}`)
  return buildOnce(folder, partialFolder => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(partialFolder, name), text)
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
      cwd: partialFolder,
      stdio: 'inherit',
    })
  })
}
