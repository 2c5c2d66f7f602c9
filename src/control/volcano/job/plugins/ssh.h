// The Secret of the ssh plugin and its keys.
#pragma once

#include "kube/net/ssh_keys.h"
#include "kube/text/json.h"

namespace basalt::volcano {

// Puts a key pair into the data of the Secret: id_rsa, id_rsa.pub and authorized_keys.
void put_ssh_keys(text::Object& secret, const net::SshKeys& keys);

}  // namespace basalt::volcano
