import { status } from '@grpc/grpc-js'
import {
  ProviderHandshakeRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { Connection } from '../plugins/connection.ts'
import { formatLastLines } from '../plugins/plugin-output.ts'
import { grpcCodeOf } from '../plugins/call-failures.ts'

/**
 * The capabilities of a provider. With `secrets`, `references` or `bytes`, the provider accepts
 * values of this kind in their wrapped form.
 */
export interface ProviderCapabilities {
  readonly secrets: boolean
  readonly references: boolean
  readonly bytes: boolean
  /** Whether output values may be sent to methods and components. */
  readonly outputs: boolean
  /** Whether Create and Update may be called in a preview. */
  readonly preview: boolean
  /** Whether Check supports name proposals. */
  readonly naming: boolean
}

/** The capabilities of a provider without handshake whose Configure was skipped. */
export const noCapabilities: ProviderCapabilities = {
  secrets: false,
  references: false,
  bytes: false,
  outputs: false,
  preview: false,
  naming: false,
}

/** The contents of a handshake. */
export interface HandshakeInput {
  readonly engineAddress: string
  /** The folder of the plugin's file. Absent when another process started the plugin. */
  readonly folder?: string
  /** Whether the engine respects a provider's request to refresh a resource before its update. */
  readonly refreshBeforeUpdate: boolean
}

/**
 * Performs the first call on a new connection, with retries until the provider responds. Returns
 * undefined for a provider without handshake, whose capabilities follow from Configure. Throws
 * PLUGIN_FAILED when the provider refuses the handshake, ends or does not respond in time
 * (docs/spec/provider-protocol.md#dial-and-liveness, docs/spec/provider-protocol.md#handshake).
 */
export async function performHandshake(
  connection: Connection,
  input: HandshakeInput,
): Promise<ProviderCapabilities | undefined> {
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
  const deadlineMs = Date.now() + limits.firstResponseTimeoutMs
  for (;;) {
    try {
      const response = await connection.call(service.handshake, request, deadlineMs)
      return {
        secrets: response.acceptSecrets,
        references: response.acceptResources,
        bytes: response.acceptsByteString,
        outputs: response.acceptOutputs,
        // Every provider with a handshake supports previews.
        preview: true,
        naming: response.supportsAutonamingConfiguration,
      }
    } catch (thrown) {
      const code = grpcCodeOf(thrown)
      if (code === status.UNIMPLEMENTED) return undefined
      const exitReport = code === status.UNAVAILABLE ? await connection.getExitReport() : undefined
      if (code !== status.UNAVAILABLE || exitReport !== undefined || Date.now() > deadlineMs) {
        const reason =
          exitReport === undefined
            ? messageOf(thrown)
            : exitReport.description + formatLastLines(exitReport.lines)
        throw createError(
          'PLUGIN_FAILED',
          `plugin '${connection.name}' failed the handshake: ${reason}`,
        )
      }
      await new Promise(resolve => setTimeout(resolve, limits.connectRetryMs))
    }
  }
}

/**
 * Returns the version that a plugin reports, without a leading `v`. Returns '' for none. Throws
 * PLUGIN_FAILED.
 */
export async function fetchPluginVersion(connection: Connection): Promise<string> {
  try {
    const { version } = await connection.call(service.getPluginInfo, {})
    return version.startsWith('v') ? version.slice(1) : version
  } catch (thrown) {
    throw createError(
      'PLUGIN_FAILED',
      `plugin '${connection.name}' did not report its version: ${messageOf(thrown)}`,
    )
  }
}
