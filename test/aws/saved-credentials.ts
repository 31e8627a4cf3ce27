import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the credentials of a program, in the folder of the provider's cloud. */
export const credentialsFile = 'found.json'

/**
 * Code that writes the AWS variables and credentials which a program finds into the provider's
 * folder.
 */
export const saveCredentialsCode = `
const found = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^AWS_/.test(name)))
const headers = { authorization: found.AWS_CONTAINER_AUTHORIZATION_TOKEN }
fetch(found.AWS_CONTAINER_CREDENTIALS_FULL_URI, { headers })
  .then(answer => answer.json())
  .then(credentials => require('node:fs').writeFileSync(
    process.env.GOLD_CLOUD + '/${credentialsFile}', JSON.stringify({ found, credentials })))
`

/** The variables of a program with the prefix `AWS_`, and the credentials at their address. */
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
