import { createLink, linkUrl } from '../admin/auth/links.ts'
import { type ListedPerson, findPersonByEmail, listPeople } from '../admin/auth/person.ts'
import { command, notFound } from './command.ts'
import { argument, email, flag } from './inputs.ts'

export const personList = command({
  words: 'person list',
  example: '',
  summary: 'List the people who can sign in to the dashboard.',
  run: async ({ db }) => ({ people: await listPeople(db) }),
  format: ({ people }) =>
    people.map(formatLine).join('\n') || 'No one can sign in yet: "serve" prints a link for the first owner.',
})

function formatLine({ email, name, operator, workspaces, twoFactor }: ListedPerson): string {
  const role = operator ? 'runs the instance' : workspaces === 1 ? 'in 1 workspace' : `in ${workspaces} workspaces`
  return `${email}  ${name}  ${role}  ${twoFactor ? 'with' : 'without'} a second factor`
}

export const personLink = command({
  words: 'person link',
  example: 'ana@shop.example --drop-second-factor',
  summary: 'Create a link that lets a person set a new password. It works once and is valid for a day.',
  options: {
    email: argument(email('The email address that the person signs in with.')),
    dropSecondFactor: flag('The link also turns off their second factor.'),
  },
  async run({ db, clock, config }, { email, dropSecondFactor }, record) {
    const person = await findPersonByEmail(db, email)
    if (!person) throw notFound(`No person signs in as ${email}. "person list" shows who can sign in.`)
    const about = { purpose: 'password' as const, email: person.email, endsSecondFactor: dropSecondFactor }
    const { token, expiresAt } = await db.transaction(async (tx) => {
      const after = { endsSecondFactor: dropSecondFactor }
      await record(tx, { workspaceId: null, action: 'person.password_link_made', target: person.email, after })
      return createLink(tx, { ...about, createdBy: null, at: clock.now() })
    })
    return { email: person.email, link: linkUrl(config.publicUrl, token), expiresAt: expiresAt.toISOString() }
  },
  format: ({ email, link, expiresAt }) =>
    `${email} can use this link once, until ${expiresAt}, to set a new password. Using it ends all their sessions:\n${link}`,
})
