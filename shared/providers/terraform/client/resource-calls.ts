import {
  readDeferral,
  readDiagnostics,
  readIdentity,
  readPath,
  readDynamicValue,
  toOptionalWireValue,
  toRawState,
  toWireIdentity,
  toWireValue,
} from './convert-messages.ts'
import { callTerraform, type ClientContext } from './terraform-calls.ts'
import type { TerraformClient } from './terraform-client.ts'

/** Creates the calls of managed resources and data sources. */
export function createResourceCalls(
  context: ClientContext,
): ReturnType<typeof createChangeCalls> &
  ReturnType<typeof createDataSourceCalls> &
  ReturnType<typeof createStateCalls> &
  ReturnType<typeof createAdoptionCalls> {
  return {
    ...createChangeCalls(context),
    ...createDataSourceCalls(context),
    ...createStateCalls(context),
    ...createAdoptionCalls(context),
  }
}

function createChangeCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<
  TerraformClient,
  'validateResourceConfig' | 'planResourceChange' | 'applyResourceChange'
> {
  return {
    async validateResourceConfig({ typeName, config }) {
      const request = { typeName, config: toWireValue(config), clientCapabilities }
      const response = await callTerraform(connection, methods.validateResourceConfig, request)
      return { diagnostics: readDiagnostics(response.diagnostics) }
    },
    async planResourceChange(request) {
      const response = await callTerraform(connection, methods.planResourceChange, {
        typeName: request.typeName,
        priorState: toWireValue(request.priorState),
        proposedNewState: toWireValue(request.proposedNewState),
        config: toWireValue(request.config),
        priorPrivate: request.priorPrivate,
        providerMeta: toOptionalWireValue(request.providerMeta),
        clientCapabilities,
        priorIdentity: toWireIdentity(request.priorIdentity),
      })
      return {
        plannedState: readDynamicValue(response.plannedState),
        requiresReplace: response.requiresReplace.map(readPath),
        plannedPrivate: response.plannedPrivate,
        plannedIdentity: readIdentity(response.plannedIdentity),
        isLegacyTypeSystem: response.legacyTypeSystem,
        deferralReason: readDeferral(response.deferred),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
    async applyResourceChange(request) {
      const response = await callTerraform(connection, methods.applyResourceChange, {
        typeName: request.typeName,
        priorState: toWireValue(request.priorState),
        plannedState: toWireValue(request.plannedState),
        config: toWireValue(request.config),
        plannedPrivate: request.plannedPrivate,
        providerMeta: toOptionalWireValue(request.providerMeta),
        plannedIdentity: toWireIdentity(request.plannedIdentity),
      })
      return {
        newState: readDynamicValue(response.newState),
        private: response.private,
        newIdentity: readIdentity(response.newIdentity),
        isLegacyTypeSystem: response.legacyTypeSystem,
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
  }
}

function createDataSourceCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<TerraformClient, 'validateDataResourceConfig' | 'readDataSource'> {
  return {
    async validateDataResourceConfig({ typeName, config }) {
      const request = { typeName, config: toWireValue(config) }
      const response = await callTerraform(connection, methods.validateDataResourceConfig, request)
      return { diagnostics: readDiagnostics(response.diagnostics) }
    },
    async readDataSource({ typeName, config, providerMeta }) {
      const response = await callTerraform(connection, methods.readDataSource, {
        typeName,
        config: toWireValue(config),
        providerMeta: toOptionalWireValue(providerMeta),
        clientCapabilities,
      })
      return {
        state: readDynamicValue(response.state),
        deferralReason: readDeferral(response.deferred),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
  }
}

function createStateCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<
  TerraformClient,
  'upgradeResourceState' | 'upgradeResourceIdentity' | 'readResource'
> {
  return {
    async upgradeResourceState({ typeName, version, stored }) {
      const request = { typeName, version, rawState: toRawState(stored) }
      const response = await callTerraform(connection, methods.upgradeResourceState, request)
      return {
        upgradedState: readDynamicValue(response.upgradedState),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
    async upgradeResourceIdentity({ typeName, version, stored }) {
      const request = { typeName, version, rawIdentity: toRawState(stored) }
      const response = await callTerraform(connection, methods.upgradeResourceIdentity, request)
      return {
        upgradedIdentity: readIdentity(response.upgradedIdentity),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
    async readResource(request) {
      const response = await callTerraform(connection, methods.readResource, {
        typeName: request.typeName,
        currentState: toWireValue(request.currentState),
        private: request.private,
        providerMeta: toOptionalWireValue(request.providerMeta),
        clientCapabilities,
        currentIdentity: toWireIdentity(request.currentIdentity),
      })
      return {
        newState: readDynamicValue(response.newState),
        private: response.private,
        newIdentity: readIdentity(response.newIdentity),
        deferralReason: readDeferral(response.deferred),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
  }
}

function createAdoptionCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<
  TerraformClient,
  'importResourceState' | 'moveResourceState' | 'generateResourceConfig'
> {
  return {
    async importResourceState({ typeName, id, identity }) {
      const response = await callTerraform(connection, methods.importResourceState, {
        typeName,
        id,
        clientCapabilities,
        identity: toWireIdentity(identity),
      })
      return {
        importedResources: response.importedResources.map(imported => ({
          typeName: imported.typeName,
          state: readDynamicValue(imported.state),
          private: imported.private,
          identity: readIdentity(imported.identity),
        })),
        deferralReason: readDeferral(response.deferred),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
    async moveResourceState({ sourceState, sourceIdentity, ...request }) {
      const response = await callTerraform(connection, methods.moveResourceState, {
        ...request,
        sourceState: toRawState(sourceState),
        sourceIdentity: sourceIdentity && toRawState(sourceIdentity),
        sourceIdentitySchemaVersion: request.sourceIdentitySchemaVersion ?? 0,
      })
      return {
        targetState: readDynamicValue(response.targetState),
        targetPrivate: response.targetPrivate,
        targetIdentity: readIdentity(response.targetIdentity),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
    async generateResourceConfig({ typeName, state }) {
      const request = { typeName, state: toWireValue(state) }
      const response = await callTerraform(connection, methods.generateResourceConfig, request)
      return {
        config: readDynamicValue(response.config),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
  }
}
