import { LogSeverity } from '../../../proto/gen/pulumi/engine.ts'
import type {
  GetRootResourceResponse,
  LogRequest,
  RequirePulumiVersionRequest,
  SetRootResourceRequest,
  StartDebuggingRequest,
} from '../../../proto/gen/pulumi/engine.ts'
import { satisfies } from 'semver'
import { emulatedVersion } from '../../config/emulated-version.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import type { DiagnosticEvent } from '../events/event.ts'

/** The receivers of messages from programs and plugins. */
export interface EngineServiceDeps {
  /**
   * Called for each message. `streamId`: the number that the sender chose for the stream of the
   * message. `ephemeral`: only a live display shows the message.
   */
  readonly onMessage: (diagnostic: {
    readonly severity: DiagnosticEvent['severity']
    readonly message: string
    readonly urn: string
    readonly streamId: number
    readonly ephemeral: boolean
  }) => void
  /** Called when a program or plugin waits for a debugger. */
  readonly onDebuggerWaiting: (endpoint: DebuggerEndpoint) => void
}

/** Creates the handlers of the engine service. Source: docs/spec/monitor.md#engine-service. */
export function createEngineHandlers(deps: EngineServiceDeps) {
  let rootUrn = ''
  return {
    log({ severity, message, urn, streamId, ephemeral }: LogRequest): Promise<object> {
      deps.onMessage({ severity: severityOf(severity), message, urn, streamId, ephemeral })
      return Promise.resolve({})
    },
    getRootResource: (): Promise<GetRootResourceResponse> => Promise.resolve({ urn: rootUrn }),
    setRootResource({ urn }: SetRootResourceRequest): Promise<object> {
      rootUrn = urn
      return Promise.resolve({})
    },
    startDebugging({ config = {}, message }: StartDebuggingRequest): Promise<object> {
      deps.onDebuggerWaiting({ config, message })
      return Promise.resolve({})
    },
    requirePulumiVersion({ pulumiVersionRange }: RequirePulumiVersionRequest): Promise<object> {
      if (satisfies(emulatedVersion, pulumiVersionRange)) return Promise.resolve({})
      return Promise.reject(
        new Error(
          `Pulumi CLI version ${emulatedVersion} does not satisfy the version range "${pulumiVersionRange}"`,
        ),
      )
    },
  }
}

function severityOf(severity: LogSeverity): DiagnosticEvent['severity'] {
  switch (severity) {
    case LogSeverity.DEBUG:
      return 'debug'
    case LogSeverity.WARNING:
      return 'warning'
    case LogSeverity.ERROR:
      return 'error'
    default:
      return 'info'
  }
}
