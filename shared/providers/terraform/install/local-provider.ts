import { basename, isAbsolute, resolve } from 'node:path'
import { createError } from '../../../errors/error.ts'
import { isExecutable } from '../../../programs/executables.ts'
import type { ProviderBinary } from '../driver/terraform-provider.ts'

/**
 * Returns the provider in a file, whose path is absolute or relative to the program. Throws
 * TERRAFORM_PACKAGE_INVALID for a file whose name does not begin with `terraform-provider-`, and
 * PLUGIN_MISSING.
 */
export function requireLocalProvider(programFolder: string, file: string): ProviderBinary {
  const path = isAbsolute(file) ? file : resolve(programFolder, file)
  const [, providerName] = /^terraform-provider-([^_.]+)/.exec(basename(path)) ?? []
  if (providerName === undefined)
    throw createError(
      'TERRAFORM_PACKAGE_INVALID',
      `the file of a Terraform provider must be named terraform-provider-NAME: ${path}`,
    )
  if (!isExecutable(path))
    throw createError('PLUGIN_MISSING', `no executable Terraform provider at ${path}`)
  return { path, version: '0.0.0', source: file, providerName }
}
