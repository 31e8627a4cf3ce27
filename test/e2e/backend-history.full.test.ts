/** The entries in the history of a self-managed backend, as this command line writes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, requireSuccess } from './sandbox.ts'
import { upArgs } from './exported-state.ts'

test('each entry of the history has the configuration with the ciphertexts of the stack file', {
  timeout: 120_000,
}, async () => {
  const sandbox = createSandbox('shop')
  try {
    const folder = join(sandbox.home, '../backend')
    const env = { PULUMI_BACKEND_URL: `file://${folder}?create_dir=true` }
    const run = async (...args: readonly string[]): Promise<unknown> =>
      requireSuccess(await sandbox.run([...args], { env }))
    await run('stack', 'init', 'dev')
    await run('config', 'set', '--secret', 'password', 'swordfish-7f3a', '-s', 'dev')
    await run('config', 'set', '--secret', '--path', 'tls.keys[0]', 'k3y', '-s', 'dev')
    await run('config', 'set', '--path', 'tls.port', '443', '-s', 'dev')
    const stackFile = parse(readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8')) as {
      readonly config: Readonly<Record<string, unknown>>
    }
    await run(...upArgs)
    await run(...upArgs)
    await run('destroy', '--yes', '--skip-preview', '-s', 'dev')
    const [project = ''] = readdirSync(join(folder, '.pulumi/history'))
    const history = join(folder, '.pulumi/history', project, 'dev')
    const configs = readdirSync(history)
      .filter(name => name.endsWith('.history.json'))
      .map(name => /"config":(.*),"version":0/.exec(readFileSync(join(history, name), 'utf8'))?.[1])
    expect(configs).toHaveLength(3)
    expect(new Set(configs).size).toBe(1)
    expect(JSON.parse(configs[0] ?? '')).toMatchObject(stackFile.config)
  } finally {
    sandbox.remove()
  }
})
