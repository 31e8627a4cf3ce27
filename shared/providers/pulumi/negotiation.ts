import { status } from '@grpc/grpc-js'
import {
  ProviderHandshakeRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { error, messageOf } from '../../errors/error.ts'
import type { Connection } from '../plugins/connection.ts'
import { formatLastLines } from '../plugins/plugin-output.ts'
import { grpcCodeOf } from './grpc-errors.ts'

/** What a provider can take. */
export interface Abilities {
  readonly secrets: boolean
  readonly references: boolean
  readonly bytes: boolean
  /** Output values may be sent to methods. */
  readonly outputs: boolean
  /** Create and Update may be called in a preview. */
  readonly preview: boolean
  /** Check may be told of automatic names. */
  readonly naming: boolean
}

/** Of a provider that was neither shaken hands with nor configured. */
export const noAbilities: Abilities = {
  secrets: false,
  references: false,
  bytes: false,
  outputs: false,
  preview: false,
  naming: false,
}

/** What is told in a handshake. */
export interface HandshakeInput {
  readonly engineAddress: string
  /** The folder of the plugin's file; absent where nobody here started it. */
  readonly folder?: string
  readonly refreshBeforeUpdate: boolean
}

/**
 * The first call on a new connection. Undefined: the provider has no handshake, and Configure will
 * tell. Tries again while nobody answers. Throws PLUGIN_FAILED
 * (docs/spec/provider-protocol.md#dial-and-liveness, 4.1).
 */
export async function performHandshake(
  connection: Connection,
  input: HandshakeInput,
): Promise<Abilities | undefined> {
  const request = ProviderHandshakeRequest.create({
    engineAddress: input.engineAddress,
    loaderTarget: input.engineAddress,
    mapperTarget: input.engineAddress,
    ...(input.folder === undefined
      ? {}
      : { rootDirectory: input.folder, programDirectory: input.folder }),
    configureWithUrn: true,
    supportsViews: true,
    supportsRefreshBeforeUpdate: input.refreshBeforeUpdate,
    invokeWithPreview: true,
    acceptsByteString: true,
  })
  const endMs = Date.now() + limits.aliveMs
  for (;;) {
    try {
      const answer = await connection.call(service.handshake, request, endMs)
      return {
        secrets: answer.acceptSecrets,
        references: answer.acceptResources,
        bytes: answer.acceptsByteString,
        outputs: answer.acceptOutputs,
        preview: true,
        naming: answer.supportsAutonamingConfiguration,
      }
    } catch (thrown) {
      const code = grpcCodeOf(thrown)
      if (code === status.UNIMPLEMENTED) return undefined
      const end = code === status.UNAVAILABLE ? await connection.getExitReport() : undefined
      if (code !== status.UNAVAILABLE || end !== undefined || Date.now() > endMs) {
        const why = end === undefined ? messageOf(thrown) : end.how + formatLastLines(end.lines)
        throw error('PLUGIN_FAILED', `plugin '${connection.name}' failed the handshake: ${why}`)
      }
      await new Promise(resolve => setTimeout(resolve, limits.aliveRetryMs))
    }
  }
}

/**
 * The version that a plugin says it has, without a leading `v`; '' when it says none. Throws
 * PLUGIN_FAILED.
 */
export async function fetchPluginVersion(connection: Connection): Promise<string> {
  try {
    const { version } = await connection.call(service.getPluginInfo, {})
    return version.startsWith('v') ? version.slice(1) : version
  } catch (thrown) {
    throw error(
      'PLUGIN_FAILED',
      `plugin '${connection.name}' did not tell its version: ${messageOf(thrown)}`,
    )
  }
}
