import { type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js'
import {
  LanguageRuntimeService as service,
  type ProgramInfo,
} from '../../../proto/gen/pulumi/language.ts'
import type { PackageDependency } from '../../../proto/gen/pulumi/plugin.ts'
import { createError } from '../../errors/error.ts'
import type { ProgramSource } from '../program.ts'
import { deduplicatePackages, type RequiredPackage } from '../required-packages.ts'

/** Fetches the required packages by GetRequiredPackages, or by the older GetRequiredPlugins. */
export async function fetchPackages(
  host: {
    readonly call: <Req, Res>(method: MethodDefinition<Req, Res>, request: Req) => Promise<Res>
  },
  { entryPoint: program, programFolder: pwd, info }: ProgramSource & { readonly info: ProgramInfo },
): Promise<readonly RequiredPackage[]> {
  const packagesResponse = await host
    .call(service.getRequiredPackages, { info })
    .catch(allowUnimplemented)
  const dependencies =
    packagesResponse?.packages ??
    (await host.call(service.getRequiredPlugins, { project: '', pwd, program, info })).plugins
  return deduplicatePackages(
    dependencies.filter(({ kind }) => kind === 'resource').map(requirementOfDependency),
  )
}

/** Converts a reported package, or a plugin from the older response. */
function requirementOfDependency(
  dependency: Pick<PackageDependency, 'name' | 'version' | 'server'> & Partial<PackageDependency>,
): RequiredPackage {
  const { name, version, server, parameterization, extension } = dependency
  return {
    pkg: parameterization?.name ?? name,
    version: version.replace(/^v/, ''),
    downloadUrl: server,
    ...(parameterization === undefined
      ? {}
      : {
          parameters: {
            plugin: name,
            version: parameterization.version,
            value: Buffer.from(parameterization.value).toString('base64'),
          },
        }),
    isExtension: extension !== undefined,
  }
}

/** Returns undefined for a call that the host does not know. Throws any other failure. */
export function allowUnimplemented(thrown: unknown): undefined {
  if (Object(thrown).code === status.UNIMPLEMENTED) return undefined
  throw thrown
}

/**
 * Returns the error of a host that did not list the packages of a program. It has the message of
 * the host, or the output of a host that ended. Other errors are returned unchanged.
 */
export function createPackagesError(
  runtime: string,
  thrown: unknown,
  outputLines: readonly string[],
): unknown {
  const { code, details } = Object(thrown) as Partial<ServiceError>
  if (typeof code !== 'number' || details === undefined) return thrown
  const message = `pulumi-language-${runtime} cannot list the packages of the program`
  if (code === status.UNAVAILABLE)
    return createError(
      'PROGRAM_LANGUAGE_FAILED',
      `${message}: it ended. ${findReason(outputLines)}`,
    )
  // The host of YAML puts the name of a missing file before the text.
  const text = details.replace(/^<nil>: /, '').replace(/[;\s]+$/, '')
  return createError('PROGRAM_LANGUAGE_FAILED', `${message}: ${text === '' ? 'no reason' : text}`, {
    hint: 'Correct the program as the message says.',
  })
}

/** Returns the line of a crash, or else the last lines. */
function findReason(lines: readonly string[]): string {
  const crash = lines.find(line => /^(panic|fatal error):/.test(line))
  return crash ?? (lines.length === 0 ? 'It printed nothing.' : lines.slice(-5).join('\n'))
}
