import { ProviderService as service5 } from '../../../../proto/gen/terraform/tfplugin5.ts'
import {
  type GetProviderSchema_Request,
  ProviderService as service6,
} from '../../../../proto/gen/terraform/tfplugin6.ts'
import type { CalledMethod } from '../../plugins/connection.ts'
import type { ProtocolMajor } from './handshake.ts'
import type { WireProviderSchema } from './wire-schema.ts'

type Service6 = typeof service6

type CalledMethodOf<M> =
  M extends CalledMethod<infer Req, infer Res> ? CalledMethod<Req, Res> : never

/** The procedures of a provider, by their names in protocol 6. */
export type ProtocolMethods = {
  readonly [N in keyof Omit<typeof methods5, 'getProviderSchema'>]: CalledMethodOf<Service6[N]>
} & {
  readonly getProviderSchema: CalledMethod<GetProviderSchema_Request, WireProviderSchema>
}

/** The procedures of protocol 5, by their names in protocol 6. Some names differ in protocol 5. */
const methods5 = {
  getProviderSchema: service5.getSchema,
  validateProviderConfig: service5.prepareProviderConfig,
  validateResourceConfig: service5.validateResourceTypeConfig,
  validateDataResourceConfig: service5.validateDataSourceConfig,
  configureProvider: service5.configure,
  stopProvider: service5.stop,
  getResourceIdentitySchemas: service5.getResourceIdentitySchemas,
  getFunctions: service5.getFunctions,
  upgradeResourceState: service5.upgradeResourceState,
  upgradeResourceIdentity: service5.upgradeResourceIdentity,
  readResource: service5.readResource,
  planResourceChange: service5.planResourceChange,
  applyResourceChange: service5.applyResourceChange,
  importResourceState: service5.importResourceState,
  moveResourceState: service5.moveResourceState,
  readDataSource: service5.readDataSource,
  generateResourceConfig: service5.generateResourceConfig,
  validateEphemeralResourceConfig: service5.validateEphemeralResourceConfig,
  openEphemeralResource: service5.openEphemeralResource,
  renewEphemeralResource: service5.renewEphemeralResource,
  closeEphemeralResource: service5.closeEphemeralResource,
  callFunction: service5.callFunction,
  listResource: service5.listResource,
  validateListResourceConfig: service5.validateListResourceConfig,
  validateActionConfig: service5.validateActionConfig,
  planAction: service5.planAction,
  invokeAction: service5.invokeAction,
}

const methodsOfProtocol: Readonly<Record<ProtocolMajor, ProtocolMethods>> = {
  5: methods5,
  6: service6,
}

/** Returns the procedures of a protocol. */
export function getProtocolMethods(protocol: ProtocolMajor): ProtocolMethods {
  return methodsOfProtocol[protocol]
}
