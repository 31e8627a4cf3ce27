import type { EventSink } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import type { Snapshot } from '../../shared/state/snapshot.ts'
import type { StoredDeployment, StoredEnvelope } from '../../shared/state/stored.ts'
import type { OutputStream } from './io.ts'
import type { OpenEngine, OpenRemoteEngine } from './engine-port.ts'
import type { PlatformTools } from '../platform/platform-port.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a display is made for. */
export interface DisplayOptions {
  readonly kind: 'up' | 'preview' | 'refresh' | 'destroy' | 'import'
  readonly dryRun: boolean
  readonly json: boolean
  /** With `json`: one document when it is over, instead of each event as it comes. */
  readonly digest: boolean
  /** Where events go as well: a file, or `tcp://host:port`. */
  readonly eventLog: string | undefined
  readonly diff: boolean
  readonly color: boolean
  readonly interactive: boolean
  readonly suppressOutputs: boolean
  readonly showSecrets: boolean
  /** Whether resources that stay as they are, and the steps of a replacement, show. */
  readonly showSames: boolean
  readonly showReplacementSteps: boolean
  /** Whether what is only read shows, and the configuration at the beginning. */
  readonly showReads: boolean
  readonly showConfig: boolean
  /** Whether what policy packs changed shows property by property. */
  readonly showPolicyRemediations: boolean
  /** Whether messages for debugging show. */
  readonly debug: boolean
  /** Whether resources are called by their whole URNs. */
  readonly urns: boolean
  readonly stack: string
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** Shows the events of one deployment or preview. */
export type Display = EventSink & {
  readonly finish: (result: DeployResult) => void | Promise<void>
}

/** Reading, writing and checking of states. */
export interface StateTools {
  /** Throws STATE_INVALID, STATE_TOO_NEW. */
  readonly parseEnvelope: (text: string) => StoredEnvelope
  readonly printEnvelope: (envelope: StoredEnvelope) => string
  readonly envelopeOf: (deployment: StoredDeployment) => StoredEnvelope
  readonly decodeSnapshot: (stored: StoredDeployment, manager: SecretsManager) => Snapshot
  readonly encodeSnapshot: (
    snapshot: Snapshot,
    manager: SecretsManager,
    secrets: 'sealed' | 'plaintext',
  ) => StoredDeployment
  /** What breaks the rules of a snapshot first, as a sentence; undefined when nothing does. */
  readonly verifyIntegrity: (deployment: StoredDeployment) => string | undefined
}

/** Where the data key of a stack is sealed: by the key of a URL, and its sealed form in base64. */
export interface SealedKey {
  readonly url: string
  readonly encryptedKey: string
}

/** Managers of secrets: under a passphrase, or a key of KMS by the process's own credentials. */
export interface SecretsTools {
  /** A manager with a new salt. */
  readonly create: (passphrase: string) => Promise<SecretsManager>
  /** The manager of a salt. Throws SECRETS_PASSPHRASE_WRONG. */
  readonly open: (salt: string, passphrase: string) => Promise<SecretsManager>
  /** A manager with a new data key under the key of a URL. Throws SECRETS_URL_INVALID, STORE_*. */
  readonly createUnderKey: (url: string, env: Env) => Promise<SecretsManager>
  /** The manager of a sealed data key. Throws SECRETS_MALFORMED, SECRETS_KEY_UNUSABLE, STORE_*. */
  readonly openUnderKey: (sealed: SealedKey, env: Env) => Promise<SecretsManager>
  /** The passphrase of PULUMI_CONFIG_PASSPHRASE or its file; undefined when neither is set. */
  readonly readPassphrase: (env: Env) => Promise<string | undefined>
}

/** The parts below the command line, loaded when a command needs them. */
export interface Tools {
  readonly openLocal: OpenEngine
  readonly openRemote: (
    login: Parameters<OpenRemoteEngine>[0],
  ) => Promise<ReturnType<OpenRemoteEngine>>
  readonly openDisplay: (options: DisplayOptions) => Promise<Display>
  readonly loadState: () => Promise<StateTools>
  readonly loadSecrets: () => Promise<SecretsTools>
  /** What the CDK says goes to `shown`. */
  readonly loadPlatform: (shown: OutputStream) => Promise<PlatformTools>
}
