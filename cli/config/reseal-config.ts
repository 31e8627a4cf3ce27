import {
  type ConfigTree,
  hasSecure,
  replaceSecure,
} from '../../shared/programs/config/config-tree.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'
import { openStackManager } from '../stack/stack-secrets.ts'

/** A stack and its stack file, which is already parsed. */
export interface OpenStack {
  readonly id: StackId
  readonly file: StackConfig
}

/**
 * Opens the secrets managers of two stacks. Returns a function that decrypts the secrets of a value
 * with the manager of `from`, and encrypts them with that of `to`. If `values` has no secrets, no
 * manager is opened, and the function returns each value unchanged.
 */
export async function openResealer(
  session: CliSession,
  values: readonly (readonly [string, ConfigTree])[],
  { from, to }: { readonly from: OpenStack; readonly to: OpenStack },
): Promise<(tree: ConfigTree) => ConfigTree> {
  if (!values.some(([, tree]) => hasSecure(tree))) return tree => tree
  const source = await openStackManager(session, from.id, from.file)
  const dest = await openStackManager(session, to.id, to.file)
  return tree =>
    replaceSecure(tree, text => ({
      kind: 'secure',
      ciphertext: dest.crypter.encrypt(source.crypter.decrypt(text)),
    }))
}
