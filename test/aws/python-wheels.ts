import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The requirement of the SDK of Pulumi in Python that tests use. */
export const pythonSdk = 'pulumi==3.270.0'

/** Downloads the packages of the SDK, once per machine. Returns their folder. */
export function downloadWheels(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const name = `wheels-${pythonSdk.replaceAll(/[^\w.]+/g, '-')}`
  const folder = join(base, 'antichain', 'tests', name)
  if (existsSync(folder)) return folder
  const partialFolder = `${folder}.${process.pid}`
  mkdirSync(partialFolder, { recursive: true })
  const args = ['-m', 'pip', 'download', '--quiet', '--only-binary', ':all:', '-d', partialFolder]
  try {
    execFileSync('python3', [...args, pythonSdk])
    renameSync(partialFolder, folder)
  } finally {
    rmSync(partialFolder, { recursive: true, force: true })
  }
  return folder
}
