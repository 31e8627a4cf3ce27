import { createError } from '../../shared/errors/error.ts'

/**
 * Parses the number of a deployment or version, from 1. `usage` begins the error message: "--to
 * takes the number of a version". Throws CLI_USAGE, with the hint.
 */
export function parseNumberArgument(text: string, usage: string, hint?: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw createError('CLI_USAGE', `${usage}, not '${text}'`, hint === undefined ? {} : { hint })
}

/** Parses `--deployment`. Returns undefined without the option. Throws CLI_USAGE. */
export function parseDeploymentOption(text: string | undefined): number | undefined {
  return text === undefined
    ? undefined
    : parseNumberArgument(text, '--deployment takes the number of a deployment')
}
