import type { EventSink } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import type { AllowedKeys } from '../../shared/secrets/key-stack.ts'
import type { ServiceStack } from '../../shared/secrets/service-stack.ts'
import type { Snapshot } from '../../shared/state/snapshot.ts'
import type { SecretsMode } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment, StoredEnvelope } from '../../shared/state/stored.ts'
import type { EnvelopeSource } from '../../shared/state/stream/parse-envelope.ts'
import type { CiService } from '../display/ci-group.ts'
import type { OutputStream } from './io.ts'
import type { OpenEngine, OpenRemoteEngine } from '../../local/engine-port.ts'
import type { PlatformTools } from '../platform/platform-port.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The options of a display. */
export interface DisplayOptions {
  readonly kind: 'up' | 'preview' | 'refresh' | 'destroy' | 'import'
  readonly dryRun: boolean
  /** Whether an operation other than a refresh first refreshes the resources, as with --refresh. */
  readonly refreshesFirst?: boolean | undefined
  /** Whether stdout gets JSON only. */
  readonly json: boolean
  /** Whether stdout gets only the summary at the end, as one line of JSON. */
  readonly summaryOnly: boolean
  /** Whether a preview with `json` prints one document at the end instead of each event. */
  readonly digest: boolean
  /** A further destination of the events: a file, or `tcp://host:port`. */
  readonly eventLog: string | undefined
  readonly diff: boolean
  readonly color: boolean
  /** Whether the display may update its lines in place while the operation runs. */
  readonly interactive: boolean
  readonly suppressOutputs: boolean
  readonly showSecrets: boolean
  /** Whether unchanged resources are shown. */
  readonly showSames: boolean
  /** Whether the steps of a replacement are shown. */
  readonly showReplacementSteps: boolean
  /** Whether resources that the program reads are shown. */
  readonly showReads: boolean
  /** Whether the configuration is shown. */
  readonly showConfig: boolean
  /** Whether changes of policy packs are shown property by property. */
  readonly showPolicyRemediations: boolean
  /** Whether debug messages are shown. */
  readonly debug: boolean
  /** Whether whole URNs are shown instead of names. */
  readonly urns: boolean
  /** Whether ephemeral messages are printed, such as the waves of deletes. */
  readonly verbose: boolean
  readonly stack: string
  /** Returns the expected duration of a long deployment, in ms. Undefined: unknown or short. */
  readonly readExpectedMs?: () => number | undefined
  /** The CI service whose log folds the lines of the operation. */
  readonly ciService?: CiService | undefined
  /** The address of the stack's page in a dashboard that is known to answer. */
  readonly dashboard?: string | undefined
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** The display of one deployment or preview. */
export type Display = EventSink & {
  readonly finish: (result: DeployResult) => void | Promise<void>
  /** Ends the open parts of the display when the deployment throws. Absent: there are none. */
  readonly abandon?: () => void
}

/** Functions that read and write states. An envelope is the JSON that `stack export` prints. */
export interface StateTools {
  /** Parses an envelope. Throws STATE_INVALID, STATE_TOO_NEW. */
  readonly parseEnvelope: (source: EnvelopeSource) => Promise<StoredEnvelope>
  readonly printEnvelope: (envelope: StoredEnvelope) => Promise<string>
  readonly printEnvelopeInChunks: (envelope: StoredEnvelope) => AsyncGenerator<string>
  /** Returns the envelope of a state. */
  readonly envelopeOf: (deployment: StoredDeployment) => Promise<StoredEnvelope>
  readonly decodeSnapshot: (
    storedDeployment: StoredDeployment,
    manager: SecretsManager,
  ) => Promise<Snapshot>
  readonly encodeSnapshot: (
    snapshot: Snapshot,
    manager: SecretsManager,
    mode: SecretsMode,
  ) => Promise<StoredDeployment>
  /** Decodes a state with the manager `source`, and encodes it with `target`. */
  readonly recodeDeployment: (
    storedDeployment: StoredDeployment,
    source: SecretsManager,
    target: { readonly manager: SecretsManager; readonly mode: SecretsMode },
  ) => Promise<StoredDeployment>
}

/**
 * The sealed data key of a stack: the URL of the key that sealed it, and its sealed form in base64.
 */
export interface SealedKey {
  readonly url: string
  readonly encryptedKey: string
}

/**
 * Creates and opens secrets managers: with a passphrase, or with a key or service and the
 * credentials of this process.
 */
export interface SecretsTools {
  /** Creates a manager with a passphrase and a new salt. */
  readonly createWithPassphrase: (passphrase: string) => Promise<SecretsManager>
  /** Opens the manager of a salt. Throws SECRETS_PASSPHRASE_WRONG. */
  readonly openWithPassphrase: (salt: string, passphrase: string) => Promise<SecretsManager>
  /**
   * Creates a manager with a new data key of a stack, sealed by the key of a URL. Throws
   * SECRETS_URL_INVALID, and the errors of its key service.
   */
  readonly createWithKey: (
    key: { readonly url: string; readonly stack: StackId },
    env: Env,
  ) => Promise<SecretsManager>
  /**
   * Opens the manager of a sealed data key. Throws SECRETS_STACK_DIFFERS for a data key that
   * `allowed` excludes, SECRETS_MALFORMED, and the errors of its key service.
   */
  readonly openWithKey: (
    sealedKey: SealedKey,
    allowed: AllowedKeys,
    env: Env,
  ) => Promise<SecretsManager>
  /**
   * Opens the manager of a stack whose keys a service keeps. Throws SECRETS_CREDENTIALS_MISSING.
   */
  readonly openWithService: (stack: ServiceStack, env: Env) => Promise<SecretsManager>
  /**
   * Returns the passphrase of PULUMI_CONFIG_PASSPHRASE, or of the file that
   * PULUMI_CONFIG_PASSPHRASE_FILE names. The file is read once. Returns undefined if neither
   * variable is set.
   */
  readonly readPassphrase: (env: Env) => Promise<string | undefined>
}

/** The functions of lower layers that commands call. Their modules are loaded on demand. */
export interface Tools {
  readonly openLocal: OpenEngine
  readonly openRemote: (
    login: Parameters<OpenRemoteEngine>[0],
  ) => Promise<ReturnType<OpenRemoteEngine>>
  readonly openDisplay: (options: DisplayOptions) => Promise<Display>
  readonly loadState: () => Promise<StateTools>
  readonly loadSecrets: () => Promise<SecretsTools>
  /** `cdkOutput` receives the output of the CDK. */
  readonly loadPlatform: (cdkOutput: OutputStream) => Promise<PlatformTools>
}
