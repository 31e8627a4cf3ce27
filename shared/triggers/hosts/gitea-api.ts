import { githubApi } from './github-api.ts'
import type { HostApi, HostReplyCalls } from './host-api.ts'

/**
 * Returns the calls of Gitea, which are those of GitHub except for one difference: Gitea returns
 * all comments of a pull request in one page.
 */
function createGiteaReplies(github: HostReplyCalls): HostReplyCalls {
  return {
    ...github,
    commentCallsOf: (repository, pullRequest) => {
      const calls = github.commentCallsOf(repository, pullRequest)
      return {
        ...calls,
        // GitHub's key is the path of the comments below `/repos`.
        pagePathOf: () => `/repos/${calls.pullRequestKey}`,
        readPage: value => ({ ...calls.readPage(value), isLast: true }),
      }
    },
  }
}

/** The API of Gitea and Forgejo. */
export const giteaApi: HostApi = {
  name: 'Gitea',
  defaultApiUrl: undefined,
  createHeaders: credential => ({
    authorization: `token ${credential}`,
    accept: 'application/json',
  }),
  archiveUrlOf: ({ apiUrl, repository, commit }) =>
    `${apiUrl}/repos/${repository}/archive/${commit}.tar.gz`,
  replies: githubApi.replies === undefined ? undefined : createGiteaReplies(githubApi.replies),
}
