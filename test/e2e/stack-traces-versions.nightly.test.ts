import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { buildOnce } from '../build-once.ts'
import { expectEqualTraces, typescriptFiles } from './traces-program.ts'

const cacheFolder = resolve(import.meta.dirname, '../../.cache/sdk-versions')

/**
 * Installs a version of the SDK from the registry, without install scripts. Returns its
 * `node_modules`.
 */
function installSdk(version: string): string {
  const folder = buildOnce(join(cacheFolder, version), partialFolder => {
    const dependencies = {
      '@pulumi/pulumi': version,
      typescript: '5.9.3',
      '@types/node': '20.19.0',
    }
    const manifest = { name: 'sdk', version: '0.0.0', private: true, dependencies }
    writeFileSync(join(partialFolder, 'package.json'), JSON.stringify(manifest))
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
    execFileSync('npm', args, { cwd: partialFolder, stdio: 'inherit' })
  })
  return join(folder, 'node_modules')
}

// The SDK captures, maps and prints traces by its own code, which differs between its versions.
test.each(['3.90.0', '3.130.0', '3.190.0', '3.230.0', '3.276.0'])(
  'a program with the SDK %s has the same stack traces with and without remembered frames',
  async version => {
    const mappedFrames = await expectEqualTraces(typescriptFiles, installSdk(version))
    expect(mappedFrames.withMemory).toBeLessThan(mappedFrames.withoutMemory)
  },
)
