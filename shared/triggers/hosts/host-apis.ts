import type { WebhookFormName } from '../webhooks/webhook-forms.ts'
import { bitbucketApi } from './bitbucket-api.ts'
import { bitbucketServerApi } from './bitbucket-server-api.ts'
import { giteaApi } from './gitea-api.ts'
import { githubApi, signedApi } from './github-api.ts'
import { gitlabApi } from './gitlab-api.ts'
import type { HostApi } from './host-api.ts'

/** The APIs of the hosts that send deliveries, by the forms of webhooks. */
export const hostApis: Readonly<Record<WebhookFormName, HostApi>> = {
  github: githubApi,
  gitlab: gitlabApi,
  bitbucket: bitbucketApi,
  'bitbucket-server': bitbucketServerApi,
  gitea: giteaApi,
  signed: signedApi,
}

/** Returns the address of the packed files of a repository at a commit. */
export function repositoryArchiveUrlOf(
  form: WebhookFormName,
  { apiUrl, repository, commit }: Parameters<HostApi['archiveUrlOf']>[0],
): string {
  const target = { repository, commit, apiUrl: apiUrl.replace(/\/$/, '') }
  return hostApis[form].archiveUrlOf(target)
}
