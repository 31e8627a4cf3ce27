import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'

const module = resolve(import.meta.dirname, '../../../cli/bootstrap/install.mjs')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/**
 * Installs a folder's packages with a fake npm, whose first runs fail. Returns the number of runs
 * of npm, and the exit code and output of the installation.
 */
function runInstall(failures: number): {
  readonly runs: number
  readonly exit: number | null
  readonly output: string
} {
  const folder = mkdtempSync(join(tmpdir(), 'install-'))
  folders.push(folder)
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  const npm = join(folder, 'npm')
  const script = [
    '#!/bin/sh',
    `echo run >> ${folder}/runs`,
    `[ $(wc -l < ${folder}/runs) -gt ${failures} ] || exit 1`,
    `mkdir ${folder}/node_modules`,
  ]
  writeFileSync(npm, `${script.join('\n')}\n`)
  chmodSync(npm, 0o755)
  const scriptText = `import { installPackages } from ${JSON.stringify(module)}; installPackages(${JSON.stringify(folder)}, 'it')`
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', scriptText], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin` },
  })
  const runs = readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1
  return { runs, exit: result.status, output: result.stdout + result.stderr }
}

describe('the installation of packages', () => {
  test('that fails is retried with a message', () => {
    const { runs, exit, output } = runInstall(1)
    expect([runs, exit]).toEqual([2, 0])
    expect(output).toContain('retrying (attempt 2 of 3)')
  })

  test('ends with an error after the third attempt', () => {
    const { runs, exit, output } = runInstall(9)
    expect(runs).toBe(3)
    expect(exit).not.toBe(0)
    expect(output).toContain('npm ci failed')
  })
})
