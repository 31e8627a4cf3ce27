import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCommandBench } from './run-antichain.ts'

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
