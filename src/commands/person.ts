import { linkTo, makePasswordLink } from '../dashboard/links.ts'
import { type ListedPerson, findPersonByEmail, listPeople } from '../dashboard/person.ts'
import { asWritten } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { command, flag, required } from './command.ts'
import { email } from './inputs.ts'

export const personList = command({
  words: 'person list',
  summary: 'List who can sign in to the dashboard.',
  changes: false,
  run: async ({ db }) => ({ people: await listPeople(db) }),
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
  changes: true,
  async run({ db, clock, config }, { argument, dropSecondFactor }, record) {
    const person = await findPersonByEmail(db, argument)
    if (!person)
      throw new SetupRefused(asWritten(`nobody signs in as ${argument}: "person list" tells who does`), 'NOT_FOUND')
    const about = { email: person.email, endsSecondFactor: dropSecondFactor, createdBy: null, at: clock.now() }
    const { token, expiresAt } = await db.transaction(async (tx) => {
      const after = { endsSecondFactor: dropSecondFactor }
      await record(tx, { workspaceId: null, target: person.email, after })
      return makePasswordLink(tx, about)
    })
    return { email: person.email, link: linkTo(config.publicUrl, token), expiresAt: expiresAt.toISOString() }
  },
  tell: ({ email, link, expiresAt }) =>
    `${email} sets a new password here, once, until ${expiresAt}. Every session of theirs ends then:\n${link}`,
})
