import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCheckpoint } from '../shared/backends/checkpoint-file.ts'
import type { SecretsManager } from '../shared/secrets/crypter.ts'
import { openPassphraseManager } from '../shared/secrets/passphrase-secrets.ts'
import { containsCiphertext } from '../shared/state/list-ciphertexts.ts'
import { envelopeOf, printEnvelope } from '../shared/state/snapshot-codec.ts'
import type { StoredEnvelope } from '../shared/state/stored.ts'

/**
 * The folder of the recorded states, with one folder for each version of Pulumi's command line. The
 * command line ran programs with the provider in test/golden, and with the passphrase `golden`.
 */
export const recordedStatesFolder = join(import.meta.dirname, 'fixtures/recorded-states')

/** The passphrase of all recorded states, except for those whose manager is `cloud`. */
export const recordedPassphrase = 'golden'

/** Returns the paths of files in the folder of the recorded states, such as `3.274.1/taint.state`. */
export function listRecordedFiles(pattern: RegExp): readonly string[] {
  return readdirSync(recordedStatesFolder, { recursive: true, encoding: 'utf8' })
    .filter(name => pattern.test(name))
    .toSorted()
}

/** Returns the paths of all recorded states. */
export const listRecordedStates = (): readonly string[] => listRecordedFiles(/\.state$/)

/** Returns the text of a recorded state, which is the output of `pulumi stack export`. */
export function readRecordedState(name: string): string {
  return readFileSync(join(recordedStatesFolder, name), 'utf8')
}

/** Prints a state as `antichain stack export` does: with the features that its content needs. */
export async function printAsExport({ deployment }: StoredEnvelope): Promise<string> {
  if (deployment === null) throw new Error('the envelope has no deployment')
  return printEnvelope(await envelopeOf(deployment))
}

/** Returns the envelope in a recorded checkpoint of a self-managed backend. */
export function readRecordedCheckpoint(name: string): StoredEnvelope {
  return parseCheckpoint(readFileSync(join(recordedStatesFolder, name)), name)
}

/**
 * Returns the secrets manager of a recorded state. That of a state without ciphertexts has no key,
 * because the derivation of a key takes some tenths of a second.
 */
export async function openRecordedManager({ deployment }: StoredEnvelope): Promise<SecretsManager> {
  const { type, state } = deployment?.secrets_providers ?? { type: '', state: {} }
  const publicState = state as Readonly<Record<string, string>>
  const salt = publicState['salt']
  if (deployment !== null && containsCiphertext(deployment) && salt !== undefined)
    return openPassphraseManager(salt, recordedPassphrase)
  const fail = (): never => {
    throw new Error(`no key of a manager of type '${type}'`)
  }
  return { type, state: publicState, crypter: { encrypt: fail, decrypt: fail }, digest: fail }
}
