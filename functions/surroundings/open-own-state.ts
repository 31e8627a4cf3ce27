import { readFileSync } from 'node:fs'
import { createOwnKeeper } from '../../shared/platform/aws/own-keeper.ts'
import { managerFromState } from '../../shared/secrets/manager.ts'
import { passphraseFrom } from '../../shared/secrets/passphrase.ts'
import type { OpenState } from './read-stack.ts'

/** Opens secrets with the passphrase and the credentials of an environment. */
export function openOwnState(env: Readonly<Record<string, string | undefined>>): OpenState {
  return named =>
    managerFromState(
      named,
      passphraseFrom(env, file => readFileSync(file, 'utf8')),
      createOwnKeeper(env),
    )
}
