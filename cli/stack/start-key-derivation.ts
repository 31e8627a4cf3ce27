import { readStackConfig, stackConfigFileOf } from '../../shared/programs/config/stack-config.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Starts to derive the key of the selected stack from its passphrase. The derivation takes some
 * tenths of a second in another thread, so a command that opens secrets starts it before it loads
 * its other modules. With a login to an API, the server opens the secrets. Errors are ignored,
 * because the command meets and reports them later.
 */
export async function startKeyDerivation(session: CliSession): Promise<void> {
  try {
    if (session.usesApi()) return
    const project = session.requireProject()
    const file = stackConfigFileOf(project, stackPartsOf(session.resolveStackId()).stack)
    const { encryptionSalt } = readStackConfig(file, project.name).getSecretsSettings()
    if (encryptionSalt === '') return
    const { readPassphrase, openWithPassphrase } = await session.tools.loadSecrets()
    const passphrase = await readPassphrase(session.io.env)
    if (passphrase === undefined) return
    openWithPassphrase(encryptionSalt, passphrase).catch(() => undefined)
  } catch {
    // The command reads the same files.
  }
}
