import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLazyTools } from './lazy-tools.ts'

test('the file of the passphrase is read once, because a pipe gives its text only once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-passphrase-'))
  const file = join(folder, 'passphrase')
  writeFileSync(file, 'open sesame\n')
  const tools = createLazyTools()
  const env = { PULUMI_CONFIG_PASSPHRASE_FILE: file }
  expect(await (await tools.loadSecrets()).readPassphrase(env)).toBe('open sesame')
  rmSync(folder, { recursive: true })
  expect(await (await tools.loadSecrets()).readPassphrase(env)).toBe('open sesame')
})
