import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the credentials of a program, in the folder of the provider's cloud. */
export const credentialsFile = 'found.json'

/**
 * Code of a program. It writes the AWS variables and credentials that it finds into the folder of
 * the provider's cloud.
 */
export const saveCredentialsCode = `
const found = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^AWS_/.test(name)))
const headers = { authorization: found.AWS_CONTAINER_AUTHORIZATION_TOKEN }
fetch(found.AWS_CONTAINER_CREDENTIALS_FULL_URI, { headers })
  .then(answer => answer.json())
  .then(credentials => require('node:fs').writeFileSync(
    process.env.GOLD_CLOUD + '/${credentialsFile}', JSON.stringify({ found, credentials })))
`

/** The findings of the code: variables with the prefix `AWS_`, and credentials from their address. */
export interface SavedCredentials {
  readonly found: Readonly<Record<string, string>>
  readonly credentials: {
    readonly AccessKeyId: string
    readonly SecretAccessKey: string
    readonly Token: string
    readonly Expiration: string
  }
}

/** Reads what the code of the program saved. */
export function readSavedCredentials(cloudFolder: string): SavedCredentials {
  return JSON.parse(readFileSync(join(cloudFolder, credentialsFile), 'utf8')) as SavedCredentials
}
