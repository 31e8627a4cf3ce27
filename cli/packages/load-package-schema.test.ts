import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CliSession } from '../session/session.ts'
import { loadPackageSchema } from './load-package-schema.ts'

test('a schema file with thousands of levels is refused', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'antichain-schema-'))
  try {
    const load = (levels: number) => {
      const type = `${'{"items":'.repeat(levels)}{"type":"string"}${'}'.repeat(levels)}`
      const schema = `{"name":"a","provider":{"inputProperties":{"b":${type}}}}`
      writeFileSync(join(cwd, 'schema.json'), schema)
      return loadPackageSchema({ cwd } as CliSession, { plugin: 'schema.json', args: [] })
    }
    expect((await load(100)).schema.name).toBe('a')
    await expect(load(3_000)).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      message: expect.stringContaining('nested deeper than 200 levels') as string,
    })
  } finally {
    rmSync(cwd, { recursive: true })
  }
})
