import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentValue } from '../../shared/programs/environments/environment-value.ts'
import {
  filesOfEnvironment,
  variablesOfEnvironment,
} from '../../shared/programs/environments/environment-config.ts'

/**
 * Sets the variables of an environment in this process, so that the programs and plugins of a
 * deployment inherit them. Each entry of the environment's `files` is written to a file that only
 * the user can read, and its variable contains the path. The files are removed when the process
 * ends.
 */
export function exportEnvironment(environment: EnvironmentValue): void {
  for (const [name, value] of variablesOfEnvironment(environment)) process.env[name] = value
  const files = filesOfEnvironment(environment)
  if (files.size === 0) return
  const folder = mkdtempSync(join(tmpdir(), 'antichain-environment-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const [index, [name, content]] of [...files].entries()) {
    const path = join(folder, String(index))
    writeFileSync(path, content, { mode: 0o600 })
    process.env[name] = path
  }
}
