import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCommandBench } from './command-bench.ts'

test("config refresh restores the values and secrets of a deployment of Pulumi's command line", async () => {
  const bench = createCommandBench()
  try {
    const folder = join(bench.root, 'state')
    cpSync(join(import.meta.dirname, '../../fixtures/backends/project'), folder, {
      recursive: true,
    })
    expect((await bench.run('login', `file://${folder}`)).exit).toBe(0)
    const file = join(bench.root, 'Pulumi.dev.yaml')
    expect(existsSync(file)).toBe(false)
    const { exit, err } = await bench.run('config', 'refresh', '-s', 'dev')
    expect([exit, err]).toEqual([0, ''])
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('encryptionsalt: v1:pCRtHMEsdaI=')
    expect(text).not.toContain('s3cr3t')
    expect((await bench.run('config', 'get', 'token', '-s', 'dev')).out).toBe('s3cr3t\n')
    await bench.run('config', 'set', '--secret', 'token', 'other', '-s', 'dev')
    expect((await bench.run('config', 'refresh', '--force', '-s', 'dev')).exit).toBe(0)
    expect((await bench.run('config', 'get', 'token', '-s', 'dev')).out).toBe('s3cr3t\n')
  } finally {
    rmSync(bench.root, { recursive: true, force: true })
  }
})

test('config refresh skips history entries of a backend that record no configuration', async () => {
  const bench = createCommandBench()
  try {
    const folder = join(bench.root, 'state')
    cpSync(join(import.meta.dirname, '../../fixtures/backends/project'), folder, {
      recursive: true,
    })
    const history = join(folder, '.pulumi/history/shop/dev')
    const oldest = join(history, 'dev-1795648360255059573.history.json')
    const entry = JSON.parse(readFileSync(oldest, 'utf8'))
    const tls = { secure: true, hosts: [{ secure: 1 }] }
    const serials = { first: '12345678901234567890' }
    writeFileSync(
      oldest,
      JSON.stringify({
        ...entry,
        config: { ...entry.config, 'shop:tls': tls, 'shop:serials': serials },
      }),
    )
    for (const [index, config] of [undefined, {}].entries()) {
      const name = `dev-179564837${index}000000000.history.json`
      const newer = { ...entry, startTime: 1795648370 + index, kind: 'update', config }
      writeFileSync(join(history, name), JSON.stringify(newer))
    }
    expect((await bench.run('login', `file://${folder}`)).exit).toBe(0)
    await bench.run('config', 'set', '--secret', 'token', 'other', '-s', 'dev')
    // An integer in the file stays if its digits are the recorded text.
    const file = join(bench.root, 'Pulumi.dev.yaml')
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}  shop:serials:\n    first: ${serials.first}\n`,
    )
    const { exit, err } = await bench.run('config', 'refresh', '--force', '-s', 'dev')
    expect([exit, err]).toEqual([0, ''])
    expect(readFileSync(file, 'utf8')).toContain(`first: ${serials.first}\n`)
    expect((await bench.run('config', 'get', 'token', '-s', 'dev')).out).toBe('s3cr3t\n')
    const restored = await bench.run('config', 'get', 'tls', '-s', 'dev')
    expect(JSON.parse(restored.out)).toEqual(tls)
  } finally {
    rmSync(bench.root, { recursive: true, force: true })
  }
})
