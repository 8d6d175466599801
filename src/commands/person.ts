import { linkTo, makePasswordLink } from '../dashboard/links.ts'
import { type ListedPerson, findPersonByEmail, listPeople } from '../dashboard/person.ts'
import { SetupRefused } from '../setup-refused.ts'
import { command, flag, required } from './command.ts'
import { email } from './inputs.ts'

export const personList = command({
  words: 'person list',
  summary: 'List who can sign in to the dashboard.',
  run: async ({ db }) => ({ people: await listPeople(db) }),
  records: 'nothing',
  tell: ({ people }) =>
    people.map(inOneLine).join('\n') || 'Nobody can sign in yet: "serve" prints a link for the first owner.',
})

function inOneLine({ email, name, operator, workspaces, twoFactor }: ListedPerson): string {
  const place = operator ? 'runs the instance' : workspaces === 1 ? 'in 1 workspace' : `in ${workspaces} workspaces`
  return `${email}  ${name}  ${place}  ${twoFactor ? 'with' : 'without'} a second factor`
}

export const personLink = command({
  words: 'person link',
  summary:
    'Make a link with which somebody who has an account sets a new password, once and within a day; with --drop-second-factor it ends their second factor as well.',
  argument: { name: 'email', ...required(email) },
  options: { dropSecondFactor: flag },
  async run({ db, clock, config }, { argument, dropSecondFactor }) {
    const person = await findPersonByEmail(db, argument)
    if (!person) throw new SetupRefused(`nobody signs in as ${argument}: "person list" tells who does`)
    const about = { email: person.email, endsSecondFactor: dropSecondFactor, createdBy: null, at: clock.now() }
    const { token, expiresAt } = await makePasswordLink(db, about)
    return { email: person.email, link: linkTo(config.publicUrl, token), expiresAt: expiresAt.toISOString() }
  },
  records: ({ values: { dropSecondFactor }, result: { email } }) => ({
    workspaceId: null,
    target: email,
    after: { endsSecondFactor: dropSecondFactor },
  }),
  tell: ({ email, link, expiresAt }) =>
    `${email} sets a new password here, once, until ${expiresAt}. Every session of theirs ends then:\n${link}`,
})
