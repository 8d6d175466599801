-- Run once, on the primary, as the superuser. Replace the password. Doorcode needs no superuser.
create role doorcode login password 'replace-doorcode-password';
create database doorcode owner doorcode;
-- "doorcode doctor" then sees the state and the age of all sessions.
grant pg_monitor to doorcode;
