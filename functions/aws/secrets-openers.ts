import { keyPurpose } from '../../shared/config/aws-resource-names.ts'
import type { AwsPlatform } from '../../shared/platform/aws/aws-platform.ts'
import type { AwsResources } from '../../shared/platform/aws/aws-resources.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import { createKmsKeeper } from '../../shared/platform/aws/kms-key-keeper.ts'
import { createKmsSealing } from '../../shared/platform/aws/kms-sealing.ts'
import { openStackSecrets } from '../../shared/runtime/credentials/open-stack-secrets.ts'
import { createServiceOpeners } from '../../shared/runtime/credentials/service-openers.ts'
import type { StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'
import type { ProgramRequestDeps } from '../../shared/runtime/programs/program-request.ts'
import { openManagerFromState } from '../../shared/secrets/secrets-from-state.ts'

/** Creates the functions of generators and executors that open the secrets of stacks. */
export function createSecretsOpeners(deps: {
  readonly settings: AwsSettings
  readonly awsResources: AwsResources
  readonly platform: AwsPlatform
  readonly passphrase: string | undefined
}): Pick<ProgramRequestDeps, 'openSecrets'> & Required<Pick<StackServerDeps, 'openStateManager'>> {
  const { settings, awsResources, platform, passphrase } = deps
  const keeper = createKmsKeeper(settings)
  const { openServiceManagerOf, openRecordedServiceManager } = createServiceOpeners(platform, () =>
    createKmsSealing(settings, awsResources.get('secretsKey'), keyPurpose.service),
  )
  const stackSecretsDeps = {
    keeper,
    passphrase,
    // A stack may open only data keys of its own.
    allowedKeys: 'own',
    openRecordedServiceManager,
  } as const
  return {
    openSecrets: (stack, stackSecrets) => openStackSecrets(stackSecretsDeps, stack, stackSecrets),
    openStateManager: async (stack, storedManager) =>
      (await openServiceManagerOf(stack, storedManager)) ??
      openManagerFromState(storedManager, passphrase, { keeper, allowed: { kind: 'own', stack } }),
  }
}
