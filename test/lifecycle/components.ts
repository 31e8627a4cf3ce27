import {
  CallResponse,
  type CallRequest,
  ConfigureResponse,
  type ConstructRequest,
  ConstructResponse,
} from '../../proto/gen/pulumi/provider.ts'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { Script } from '../../shared/providers/pulumi/scripted-server.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { type Monitor, withMonitor } from './scripted-hosts.ts'
import { toWireSecret } from './register-thing.ts'

/** What a provider makes of a component, over the monitor that it is told of. */
export type MakeComponent = (
  request: ConstructRequest,
  monitor: Monitor,
) => Promise<Partial<ConstructResponse>>

/** What a method of a provider does, over the monitor that it is told of. */
export type CallMethod = (request: CallRequest, monitor: Monitor) => Promise<Partial<CallResponse>>

/** Takes everything that a provider can say it takes. */
const configure = (): ConfigureResponse =>
  ConfigureResponse.create({
    acceptSecrets: true,
    acceptResources: true,
    acceptOutputs: true,
    supportsPreview: true,
  })

/** A provider that makes components, over a script that has the rest. */
export function componentScript(
  { make, method }: { readonly make?: MakeComponent; readonly method?: CallMethod },
  rest: Script = {},
): Script {
  return {
    ...rest,
    configure,
    ...(make && {
      construct: (request: ConstructRequest) =>
        withMonitor(request.monitorEndpoint, async monitor =>
          ConstructResponse.create(await make(request, monitor)),
        ),
    }),
    ...(method && {
      call: (request: CallRequest) =>
        withMonitor(request.monitorEndpoint, async monitor =>
          CallResponse.create(await method(request, monitor)),
        ),
    }),
  }
}

/** Registers the component itself, as every provider begins. */
export async function registerSelf(
  { type, name, parent, providers }: ConstructRequest,
  monitor: Monitor,
  more: Parameters<Monitor['register']>[0] | object = {},
): Promise<string> {
  const { urn } = await monitor.register({ type, name, parent, providers, object: {}, ...more })
  return urn
}

/** A component that a provider makes, as a program registers it. */
export const registerComponent = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({
    type: 'comp:index:Group',
    name,
    remote: true,
    object: {},
    acceptResources: true,
    supportsPartialValues: true,
    ...more,
  })

/** The errors that were told, without what is put around them. */
export const trimmedErrorsOf = (events: readonly EngineEventPayload[]): readonly string[] =>
  events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent?.severity === 'error'
      ? [event.diagnosticEvent.message.trimEnd()]
      : [],
  )

export const resourceUrnOf = (name: string, type = 'test:index:Thing'): string =>
  `urn:pulumi:dev::life::${type}::${name}`

const toWireOutput = (fields: object): object => ({ [signatureKey]: signatures.output, ...fields })

/** Values as they go over the wire. */
export const wireValues = {
  output: toWireOutput,
  secret: toWireSecret,
  reference: (fields: object): object => ({ [signatureKey]: signatures.reference, ...fields }),
  unknown: '04da6b54-80e4-46f7-96ec-b56ff0331ba9',
}
