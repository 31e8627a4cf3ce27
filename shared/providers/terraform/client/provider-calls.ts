import { toWireValue, readDiagnostics, readDynamicValue } from './convert-messages.ts'
import { convertEntries, readFunction, readIdentitySchema, readSchema } from './read-wire-schema.ts'
import { callOptional, callTerraform, type ClientContext } from './terraform-calls.ts'
import type { ProviderSchemaResponse, TerraformClient } from './terraform-client.ts'
import type { WireProviderSchema } from './wire-schema.ts'

/** The Terraform version in requests to providers, which parse it. OpenTofu sends the same one. */
const terraformVersion = '1.13.0'

/** Creates the calls that concern a whole provider: schemas, configuration, functions and stop. */
export function createProviderCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<
  TerraformClient,
  | 'getProviderSchema'
  | 'getResourceIdentitySchemas'
  | 'getFunctions'
  | 'validateProviderConfig'
  | 'configureProvider'
  | 'callFunction'
  | 'stopProvider'
> {
  return {
    async getProviderSchema() {
      return readProviderSchema(await callTerraform(connection, methods.getProviderSchema, {}))
    },
    async getResourceIdentitySchemas() {
      const { identitySchemas, diagnostics } = await callOptional(
        connection,
        methods.getResourceIdentitySchemas,
        { request: {}, fallback: { identitySchemas: new Map(), diagnostics: [] } },
      )
      return {
        schemas: convertEntries(identitySchemas, readIdentitySchema),
        diagnostics: readDiagnostics(diagnostics),
      }
    },
    async getFunctions() {
      const { functions, diagnostics } = await callOptional(connection, methods.getFunctions, {
        request: {},
        fallback: { functions: new Map(), diagnostics: [] },
      })
      return {
        functions: convertEntries(functions, readFunction),
        diagnostics: readDiagnostics(diagnostics),
      }
    },
    async validateProviderConfig(config) {
      const request = { config: toWireValue(config) }
      const { diagnostics } = await callTerraform(
        connection,
        methods.validateProviderConfig,
        request,
      )
      return { diagnostics: readDiagnostics(diagnostics) }
    },
    async configureProvider(config) {
      const request = { config: toWireValue(config), terraformVersion, clientCapabilities }
      const { diagnostics } = await callTerraform(connection, methods.configureProvider, request)
      return { diagnostics: readDiagnostics(diagnostics) }
    },
    async callFunction({ name, arguments: values }) {
      const request = { name, arguments: values.map(toWireValue) }
      const { result, error } = await callTerraform(connection, methods.callFunction, request)
      return {
        result: readDynamicValue(result),
        error: error && { text: error.text, argumentIndex: error.functionArgument },
      }
    },
    async stopProvider() {
      const { Error: failure } = await callTerraform(connection, methods.stopProvider, {})
      return failure === '' ? undefined : connection.redact(failure)
    },
  }
}

function readProviderSchema(response: WireProviderSchema): ProviderSchemaResponse {
  const { provider, providerMeta, serverCapabilities: capabilities } = response
  return {
    provider: provider && readSchema(provider),
    providerMeta: providerMeta && readSchema(providerMeta),
    resources: convertEntries(response.resourceSchemas, readSchema),
    dataSources: convertEntries(response.dataSourceSchemas, readSchema),
    ephemeralResources: convertEntries(response.ephemeralResourceSchemas, readSchema),
    listResources: convertEntries(response.listResourceSchemas, readSchema),
    actions: convertEntries(response.actionSchemas, ({ schema }) =>
      readSchema(schema ?? { version: 0, block: undefined }),
    ),
    functions: convertEntries(response.functions, readFunction),
    capabilities: {
      planDestroy: capabilities?.planDestroy ?? false,
      getProviderSchemaOptional: capabilities?.getProviderSchemaOptional ?? false,
      generateResourceConfig: capabilities?.generateResourceConfig ?? false,
    },
    diagnostics: readDiagnostics(response.diagnostics),
  }
}
