import { defaultInstallation, installationPattern } from '../../shared/config/aws-resource-names.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import type { InstallationTarget } from './platform-port.ts'

/**
 * Returns the installation of --installation or the default one. Its region comes from --region,
 * AWS_REGION or AWS_DEFAULT_REGION, in this order. Throws PLATFORM_REGION_MISSING, CLI_USAGE.
 */
export function readInstallationTarget(session: CliSession, flags: Flags): InstallationTarget {
  const { env } = session.io
  const installation = flags.text('installation') ?? defaultInstallation
  if (!installationPattern.test(installation))
    throw createError(
      'CLI_USAGE',
      `'${installation}' is not a valid installation name: ${nameRule}`,
    )
  const region = flags.text('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION']
  if (!region) throw createError('PLATFORM_REGION_MISSING', 'the AWS region is not set')
  const profile = flags.text('profile')
  const definedVariables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return {
    installation,
    region,
    env: {
      ...Object.fromEntries(definedVariables),
      AWS_REGION: region,
      ...(profile === undefined ? {} : { AWS_PROFILE: profile }),
    },
  }
}

const nameRule = 'use 2 to 20 lower-case letters, digits and `-`, starting with a letter'
