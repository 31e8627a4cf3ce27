import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { printCheckpoint } from '../../shared/backends/checkpoint-file.ts'
import { envelopeOf, parseEnvelope, recodeDeployment } from '../../shared/state/snapshot-codec.ts'
import {
  listRecordedFiles,
  listRecordedStates,
  openRecordedManager,
  printAsExport,
  readRecordedCheckpoint,
  readRecordedState,
  recordedStatesFolder,
} from '../recorded-states.ts'

const names = listRecordedStates()

test.each(names)('the state %s of the real CLI is printed without a changed byte', async name => {
  const text = readRecordedState(name)
  expect(await printAsExport(await parseEnvelope(text))).toBe(text)
})

/**
 * The import encrypts secrets in plaintext, and drops the variables of an integrity error, as
 * Pulumi's import does. Only a key service opens the ciphertexts of the manager `cloud`.
 */
const isRecodable = (name: string): boolean =>
  !/"plaintext": |"env_vars": |"type": "cloud"/.test(readRecordedState(name))

// Each of the older states has a salt of its own, so the derivation of its key takes long.
const hasOwnSalt = (name: string): boolean => {
  const text = readRecordedState(name)
  return text.includes('"ciphertext": ') && !text.includes('"salt": "v1:Ofv3vsxCBFo=:')
}

test.each(names.filter(name => isRecodable(name) && !hasOwnSalt(name)))(
  'the state %s is decoded and encoded by its manager without a changed byte',
  async name => {
    const text = readRecordedState(name)
    const { deployment, ...envelope } = await parseEnvelope(text)
    if (deployment === null) throw new Error('no deployment')
    const manager = await openRecordedManager({ deployment, ...envelope })
    const encoded = await recodeDeployment(deployment, manager, { manager, mode: 'kept' })
    expect(await printAsExport({ ...envelope, deployment: encoded })).toBe(text)
  },
)

describe('the checkpoint of a self-managed backend', () => {
  const decompressors = { json: (bytes: Buffer) => bytes, gz: gunzipSync, zst: zstdDecompressSync }
  test.each(listRecordedFiles(/checkpoint.*\.json/))(
    '%s of the real CLI is printed without a changed byte, and exported as the CLI does',
    async name => {
      const envelope = readRecordedCheckpoint(name)
      const { deployment } = envelope
      if (deployment === null) throw new Error('no deployment')
      expect(await printAsExport(envelope)).toBe(
        readRecordedState(name.replace(/\.json.*/, '.state')),
      )
      const suffix = name.slice(name.lastIndexOf('.') + 1) as keyof typeof decompressors
      const bytes = decompressors[suffix](readFileSync(join(recordedStatesFolder, name)))
      const printed = printCheckpoint('organization/golden/dev', await envelopeOf(deployment))
      expect(Buffer.from(printed).toString()).toBe(bytes.toString())
    },
  )
})
