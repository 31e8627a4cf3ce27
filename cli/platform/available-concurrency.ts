import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda'
import { sendOrUndefined } from './send-or-undefined.ts'

/** The functions of an installation that can have reserved concurrency. */
const reservingFunctions = ['api', 'service', 'webhook']

/**
 * Returns the number of concurrent calls of the account that no function outside of the
 * installation has reserved. It includes the reservations of the installation, so each deployment
 * of the installation gets the same number. Throws PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
export async function readAvailableConcurrency(
  client: Pick<LambdaClient, 'send'>,
  installation: string,
): Promise<number> {
  const readReservation = async (name: string): Promise<number> => {
    const command = new GetFunctionConcurrencyCommand({ FunctionName: `${installation}-${name}` })
    const response = await sendOrUndefined(() => client.send(command))
    return response?.ReservedConcurrentExecutions ?? 0
  }
  const [account, ...reservations] = await Promise.all([
    sendOrUndefined(() => client.send(new GetAccountSettingsCommand({}))),
    ...reservingFunctions.map(readReservation),
  ])
  const unreserved = account?.AccountLimit?.UnreservedConcurrentExecutions ?? 0
  return reservations.reduce((sum, reserved) => sum + reserved, unreserved)
}
