import { homedir } from 'node:os'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import { ConverterClient, type ConvertProgramRequest } from '../../proto/gen/pulumi/converter.ts'
import type { Diagnostic } from '../../proto/gen/pulumi/codegen/hcl.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { findPlugin } from '../../shared/providers/plugins/find-plugin.ts'
import { startPlugin } from '../../shared/providers/plugins/start-plugin.ts'
import { createCodeGenerationError } from './generate-program.ts'

/**
 * The dependencies of a converter. `engineAddress` returns the address at which the plugin asks for
 * schemas and mappings.
 */
interface ConverterDeps {
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
  readonly engineAddress: () => string
  readonly onLine: (line: string) => void
}

/**
 * Lets the plugin `pulumi-converter-<name>` translate a program into Pulumi's configuration
 * language. Returns its diagnostics. Throws PLUGIN_MISSING without the plugin, PLUGIN_FAILED if the
 * plugin does not start, and CODE_GENERATION_FAILED if the conversion fails.
 */
export async function convertWithConverterPlugin(
  deps: ConverterDeps,
  name: string,
  request: ConvertProgramRequest,
): Promise<readonly Diagnostic[]> {
  const path = findConverter(name, deps.env)
  const plugin = await startPlugin(deps.processes, {
    name: `pulumi-converter-${name}`,
    path,
    env: deps.env,
    args: [],
    onLine: deps.onLine,
    cwd: request.sourceDirectory,
    engineAddress: deps.engineAddress(),
  })
  try {
    return await callConverter(`127.0.0.1:${plugin.port}`, request)
  } catch (thrown) {
    const subject = `the converter '${name}'`
    throw createCodeGenerationError(messageOf(thrown), { subject, cause: thrown })
  } finally {
    await plugin.stop()
  }
}

/** Reports whether the plugin of a converter is installed. */
export function hasConverter(name: string, env: Readonly<Record<string, string>>): boolean {
  return 'path' in lookUpConverter(name, env)
}

function lookUpConverter(
  name: string,
  env: Readonly<Record<string, string>>,
): ReturnType<typeof findPlugin> {
  const plugin = { kind: 'converter', name, version: '', downloadUrl: '' }
  const locations = { env, home: env['HOME'] ?? homedir(), path: env['PATH'] ?? '' }
  return findPlugin(plugin, locations)
}

function findConverter(name: string, env: Readonly<Record<string, string>>): string {
  const lookup = lookUpConverter(name, env)
  if ('path' in lookup) return lookup.path
  throw createError('PLUGIN_MISSING', lookup.missing, {
    hint: `Run \`antichain plugin install converter ${name}\`, or put pulumi-converter-${name} on PATH.`,
  })
}

function callConverter(
  address: string,
  request: ConvertProgramRequest,
): Promise<readonly Diagnostic[]> {
  const client = new ConverterClient(address, credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
  })
  const response = new Promise<readonly Diagnostic[]>((resolve, reject) =>
    // `converted` is undefined after a failure, although its type does not say so.
    client.convertProgram(request, (failure: ServiceError | null, converted) => {
      if (failure === null) resolve(converted.diagnostics)
      else reject(new Error(failure.details))
    }),
  )
  return response.finally(() => client.close())
}
